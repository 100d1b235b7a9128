/** Associations, identities and credentials. Rules: page 05 §19, page 07 §8 and §11. */
import { statementNames } from "../../../indexes/credentials/write.ts";
import { methodTypes } from "../../../indexes/identities/did-document.ts";
import { quoteText } from "../statements.ts";
import {
  BLOCK_TIME,
  CHAIN_TIME,
  FINAL,
  HEIGHT,
  isFinal,
  joinAccount,
  leftJoinAccount,
  POSITION,
  T,
  type View,
} from "./view.ts";

const associationColumns = {
  sender: "Address of the account that issued the association",
  type: "Type of the association",
  recipient: "Address of the other account",
  subject: "What the association is about; null if unspecified",
  expires: "End of the association; null if it has none, or one outside the years 1 to 9999",
  expires_ms: "End of the association, ms since 1970; null if it has none",
};

/** The newest transaction of each association. A revocation overrides all other transactions of its block. */
const newestAssociations = `select distinct on (sender, type, recipient, subject) * from ${T}.association
  order by sender, type, recipient, subject, height desc, revokes desc, position desc`;

/** The clock of the liquid block is 1 ms ahead of the newest persisted block. */
const isInForce = `not n.revokes and (nullif(n.expires_ms, 0) is null or n.expires_ms > ${CHAIN_TIME}
    + case when n.height > coalesce((select persisted_height from ${T}.chain), 0) then 1 else 0 end)`;

const NOW_MS = "(extract(epoch from now()) * 1000)::bigint";

/** Combines the bits of a method's data entries that have a truthy value. Page 07 §8.3. */
const bitsOf = (
  alias: string,
): string => `coalesce((select bit_or(case c.key_text when 'authentication' then 257
    when 'assertionMethod' then 258 when 'keyAgreement' then 260 when 'capabilityInvocation' then 264
    when 'capabilityDelegation' then 272 else 0 end) from ${T}.claim c
    where c.height = ${alias}.height and c.position = ${alias}.position
      and (c.boolean_value or c.integer_value <> 0 or c.binary_value is not null or length(c.string_value) > 0)), 0)`;

/** The newest method of each account and recipient, without transactions whose timestamp is in the future. Page 07 §8.2 to §8.4. */
const newestMethods = `select distinct on (r.sender, r.recipient) r.sender, r.recipient, r.height, r.expires_ms, t.time_ms,
    case when r.revokes then case when r.sender = r.recipient then 287 else 0 end
      else r.type::integer | 256 | ${bitsOf("r")} end as relationships
  from ${T}.association r join ${T}.transaction t on t.height = r.height and t.position = r.position
  where r.type between 256 and 288 and r.type <> 264 and t.time_ms <= ${NOW_MS}
  order by r.sender, r.recipient, t.time_ms desc, r.height desc, r.position desc`;

/** Records of the capability to deactivate, each with the time when it takes effect. Page 07 §8.5. */
const capabilityRecords = `select r.sender, r.recipient, r.height, r.position, r.revokes, r.expires_ms,
    t.time_ms::numeric + case when r.revokes then coalesce(lag(case when r.revokes then 0 else c.delay end) over w, 0)
      else 0 end as effective_ms,
    case when r.revokes then 0 else 264 | ${bitsOf("r")} end as relationships
  from ${T}.association r join ${T}.transaction t on t.height = r.height and t.position = r.position
  left join lateral (select max(c.integer_value) as delay from ${T}.claim c where c.height = r.height
    and c.position = r.position and c.key_text = 'revokeDelay' and c.integer_value > 0) c on true
  where r.type = 264 and r.sender <> r.recipient
  window w as (partition by r.sender, r.recipient order by r.height, r.position)`;

/** In `identity_methods`, the bit 4096 marks a key that has this capability but no active method. */
const newestCapabilities = `select distinct on (sender, recipient) * from (${capabilityRecords}) r
  where r.effective_ms <= ${NOW_MS} order by sender, recipient, effective_ms desc, height desc, position desc`;

const isActive = (alias: string): string =>
  `${alias}.relationships > 0 and (${alias}.expires_ms is null or ${alias}.expires_ms >= ${NOW_MS})`;

const methodBits = (name: string, bits: number): string => `m.relationships & ${bits} = ${bits} as ${name}`;

/** DID documents leave out keys of other types. */
const METHOD_KEY_TYPES = Object.keys(methodTypes).map(quoteText).join(", ");

const CREDENTIAL_TYPES = [...statementNames];
const statementCase = CREDENTIAL_TYPES.map(([type, name]) => `when ${type} then ${quoteText(name)}`).join(
  " ",
);
const statementTypes = CREDENTIAL_TYPES.map(([type]) => type).join(", ");

const credentialStatements = `select x.subject, case x.type ${statementCase} end as name, x.sender, t.time, t.time_ms, x.height,
    x.position
  from ${T}.statement x join ${T}.transaction t on t.height = x.height and t.position = x.position
  where x.subject is not null and x.type in (${statementTypes})`;

/** Identities by account. Statements of unauthorised senders do not deactivate. Page 07 §8.2, §8.5. */
const knownIdentities = `select k.account, k.height, k.key_type, k.public_key, k.time, k.time_ms, d.height as deactivated_height,
    d.sender as deactivated_by, d.time as deactivated, d.time_ms as deactivated_ms
  from ${T}.account_key k
  left join lateral (
    select x.height, x.sender, t.time, t.time_ms
    from ${T}.statement x join ${T}.transaction t on t.height = x.height and t.position = x.position
    where (x.type = 288 and x.sender = k.account) or (x.type = 289 and x.recipient = k.account and (x.sender = k.account
      or (select not c.revokes and (c.expires_ms is null or c.expires_ms >= t.time_ms)
        from (${capabilityRecords}) c
        where c.sender = k.account and c.recipient = x.sender and (c.height, c.position) < (x.height, x.position)
          and c.effective_ms <= t.time_ms
        order by c.effective_ms desc, c.height desc, c.position desc limit 1)))
    order by x.height, x.position limit 1) d on true`;

/** An issuer's statements count only while its DID resolves and lists the issuer's key. Page 07 §11.2. */
const ownStatements = `select x.* from (${credentialStatements}) x join (${knownIdentities}) i on i.account = x.sender
    and i.time_ms <= x.time_ms and (i.deactivated_ms is null or x.time_ms < i.deactivated_ms)
  where x.name in ('issue', 'revoke', 'suspend', 'reinstate') and coalesce((
    select r.expires_ms < x.time_ms or r.revokes or (r.type::integer | 256 | ${bitsOf("r")}) & 258 = 258
    from ${T}.association r join ${T}.transaction t on t.height = r.height and t.position = r.position
    where r.sender = x.sender and r.recipient = x.sender and r.type between 256 and 288 and r.type <> 264
      and t.time_ms <= x.time_ms
    order by t.time_ms desc, r.height desc, r.position desc limit 1), true)`;

export const identityViews: readonly View[] = [
  {
    name: "associations",
    comment: "Transactions that issue and revoke associations.",
    columns: {
      height: HEIGHT,
      position: POSITION,
      revokes: "True if the transaction revokes the association",
      ...associationColumns,
      block_time: BLOCK_TIME,
      final: FINAL,
    },
    query: `select n.height, n.position, n.revokes, s.text as sender, n.type, r.text as recipient, n.subject, n.expires,
  n.expires_ms, b.time as block_time, ${isFinal("n.height")}
from ${T}.association n ${joinAccount("s", "n.sender")} ${joinAccount("r", "n.recipient")}
left join ${T}.block b on b.height = n.height`,
  },
  {
    name: "associations_in_force",
    comment: "Associations that are neither revoked nor expired, at the time of the chain.",
    columns: {
      ...associationColumns,
      height: "Height of the newest transaction that issued the association",
      position: POSITION,
      final: FINAL,
    },
    query: `select s.text as sender, n.type, r.text as recipient, n.subject, n.expires, n.expires_ms, n.height, n.position,
  ${isFinal("n.height")}
from (${newestAssociations}) n ${joinAccount("s", "n.sender")} ${joinAccount("r", "n.recipient")}
where ${isInForce}`,
  },
  {
    name: "association_graph",
    comment:
      "Pairs of accounts with associations in force. A revocation removes one association; from the answer of /index/associations, it also removes all associations of the recipient, then those of their recipients, and so on.",
    columns: {
      sender: "Address of the account that issued the associations",
      recipient: "Address of the other account",
      associations: "Number of associations in force",
      types: "Types of the associations, ascending",
      final: "True if all of them are in persisted blocks",
    },
    query: `select s.text as sender, r.text as recipient, g.associations, g.types, ${isFinal("g.newest")}
from (select n.sender, n.recipient, count(*) as associations, array_agg(distinct n.type order by n.type) as types,
    max(n.height) as newest
  from (${newestAssociations}) n where ${isInForce} group by n.sender, n.recipient) g
${joinAccount("s", "g.sender")} ${joinAccount("r", "g.recipient")}`,
  },
  {
    name: "identities",
    comment: "DIDs of all accounts whose public key is known.",
    columns: {
      did: "DID",
      address: "Address",
      key_type: "ed25519, secp256k1, secp256r1 or bls12-381",
      public_key: "Public key",
      created: "Time of the first transaction with the key; null outside the years 1 to 9999",
      created_ms: "The same, ms since 1970",
      deactivated: "Time of the statement that deactivated the DID; null if there is none",
      deactivated_ms: "The same, ms since 1970",
      deactivated_by: "Address of the statement's sender",
      final: "True if the key and the deactivation are in persisted blocks",
    },
    query: `select 'did:lto:' || a.text as did, a.text as address, k.key_type, k.public_key, k.time as created,
  k.time_ms as created_ms, k.deactivated as deactivated, k.deactivated_ms as deactivated_ms, e.text as deactivated_by,
  ${isFinal("greatest(k.height, k.deactivated_height)")}
from (${knownIdentities}) k ${joinAccount("a", "k.account")} ${leftJoinAccount("e", "k.deactivated_by")}`,
  },
  {
    name: "identity_methods",
    comment:
      "Verification methods that are neither revoked nor expired, by the clock of the database; also those of deactivated DIDs.",
    columns: {
      did: "DID whose document has the method",
      address: "Its address",
      method: "Address of the method's key",
      key_type: "ed25519, secp256k1, secp256r1 or bls12-381",
      public_key: "Public key of the method",
      authentication: "True if the method has this relationship",
      assertion_method: "True if the method has this relationship",
      key_agreement: "True if the method has this relationship",
      capability_invocation: "True if the method has this relationship",
      capability_delegation: "True if the method has this relationship",
      deactivates_only: "True if the method may only deactivate the DID",
      expires_ms: "End of the method, ms since 1970; null if it has none",
      final: "True if the method and its key are in persisted blocks",
    },
    query: `select 'did:lto:' || a.text as did, a.text as address, r.text as method, k.key_type, k.public_key,
  ${methodBits("authentication", 257)}, ${methodBits("assertion_method", 258)}, ${methodBits("key_agreement", 260)},
  ${methodBits("capability_invocation", 264)}, ${methodBits("capability_delegation", 272)},
  m.relationships = 4360 as deactivates_only, m.expires_ms, ${isFinal("greatest(m.height, k.height)")}
from (
  select coalesce(m.sender, c.sender) as sender, coalesce(m.recipient, c.recipient) as recipient,
    case when not coalesce(${isActive("c")}, false) then m.relationships
      when coalesce(${isActive("m")}, false) then m.relationships | c.relationships
      else c.relationships | 4096 end as relationships,
    case when coalesce(${isActive("m")}, false) then m.expires_ms else c.expires_ms end as expires_ms,
    greatest(m.height, c.height) as height
  from (${newestMethods}) m full join (${newestCapabilities}) c on c.sender = m.sender and c.recipient = m.recipient
  where coalesce(${isActive("m")}, false) or coalesce(${isActive("c")}, false)
  union all
  select o.account, o.account, 287, null, o.height from ${T}.account_key o
  where not exists (select from (${newestMethods}) m
    where m.sender = o.account and m.recipient = o.account and ${isActive("m")})
) m
${joinAccount("a", "m.sender")} ${joinAccount("r", "m.recipient")} join ${T}.account_key k on k.account = m.recipient
  and k.key_type in (${METHOD_KEY_TYPES})
where exists (select from ${T}.account_key o where o.account = m.sender)`,
  },
  {
    name: "credential_statements",
    comment: "Statements about credentials, of all senders.",
    columns: {
      credential: "Id of the credential: the subject of the statement",
      name: "issue, revoke, suspend, reinstate, dispute or acknowledge",
      signer: "Address of the statement's sender",
      time: "Time in the transaction; null outside the years 1 to 9999",
      time_ms: "Time in the transaction, ms since 1970",
      height: HEIGHT,
      position: POSITION,
      final: FINAL,
    },
    query: `select x.subject as credential, x.name, s.text as signer, x.time, x.time_ms, x.height, x.position,
  ${isFinal("x.height")}
from (${credentialStatements}) x ${joinAccount("s", "x.sender")}`,
  },
  {
    name: "credentials",
    comment:
      "Credentials by issuer. The status follows from the statements that the issuer made while its DID was active.",
    columns: {
      credential: "Id of the credential",
      issuer: "Address of the account that made the statements",
      status: "issued, suspended, revoked, or unknown if the issuer did not issue it",
      issued_ms: "Time of the first issue, ms since 1970",
      suspended_ms: "Time since which it is suspended, ms since 1970; null if it is not, or if it is revoked",
      revoked_ms: "Time of the first revocation, ms since 1970",
      statements: "Number of the issuer's statements",
      final: "True if all of these statements are in persisted blocks",
    },
    query: `select c.subject as credential, s.text as issuer,
  case when c.revoked_ms is not null then 'revoked' when c.suspended_ms is not null then 'suspended'
    when c.issued_ms is not null then 'issued' else 'unknown' end as status,
  c.issued_ms, case when c.revoked_ms is null then c.suspended_ms end as suspended_ms, c.revoked_ms, c.statements,
  ${isFinal("c.newest")}
from (select x.subject, x.sender, min(x.time_ms) filter (where x.name = 'issue') as issued_ms,
    min(x.time_ms) filter (where x.name = 'suspend' and not x.is_lifted) as suspended_ms,
    min(x.time_ms) filter (where x.name = 'revoke') as revoked_ms, count(*) as statements, max(x.height) as newest
  from (select y.*, coalesce(bool_or(y.name = 'reinstate') over (partition by y.subject, y.sender
      order by y.time_ms, y.height, y.position rows between 1 following and unbounded following), false) as is_lifted
    from (${ownStatements}) y) x
  group by x.subject, x.sender) c
${joinAccount("s", "c.sender")}`,
  },
];
