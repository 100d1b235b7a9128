/** Accounts, balances, leases, data and sponsors. */
import {
  BLOCK_TIME,
  FINAL,
  HEIGHT,
  IN_UNITS,
  isFinal,
  joinAccount,
  leftJoinAccount,
  POSITION,
  T,
  type View,
} from "./view.ts";

const amounts = {
  balance: `Regular balance, ${IN_UNITS}`,
  lease_in: `Leased to the account, ${IN_UNITS}`,
  lease_out: `Leased by the account to others, ${IN_UNITS}`,
  unbonding: `Cancelled leases that still count for the generating balance, ${IN_UNITS}`,
  effective_balance: `balance + lease_in - lease_out, ${IN_UNITS}`,
};
const amountsOf = (alias: string): string =>
  `${alias}.balance, ${alias}.lease_in, ${alias}.lease_out, ${alias}.unbonding,
  ${alias}.balance::numeric + ${alias}.lease_in - ${alias}.lease_out as effective_balance`;

const leaseColumns = {
  id: "Id of the lease: the id of its transaction",
  height: "Height of the block that began it",
  position: POSITION,
  sender: "Address of the account that leases its tokens",
  recipient: "Address of the account that may forge with them",
  amount: `Amount, ${IN_UNITS}`,
};
const leaseQuery = (
  more: string,
): string => `select l.id, l.height, l.position, s.text as sender, r.text as recipient, l.amount,
  ${more}
from ${T}.lease l ${joinAccount("s", "l.sender")} ${joinAccount("r", "l.recipient")}`;

export const accountViews: readonly View[] = [
  {
    name: "accounts",
    comment: "Accounts with a balance or a history of one, at the tip.",
    columns: {
      address: "Address",
      ...amounts,
      height: "Height of the newest change",
      final: FINAL,
    },
    query: `select a.text as address, ${amountsOf("s")}, s.height, ${isFinal("s.height")}
from ${T}.account_state s ${joinAccount("a", "s.account")}`,
  },
  {
    name: "balance_history",
    comment: "Balances of accounts after each block or micro block that changed them.",
    columns: {
      address: "Address",
      height: HEIGHT,
      sequence: "Place of the unit in its block: 0 key block, 1 and above micro blocks, 65535 persist unit",
      time: BLOCK_TIME,
      ...amounts,
      final: FINAL,
    },
    query: `select a.text as address, c.height, c.sequence, b.time, ${amountsOf("c")}, ${isFinal("c.height")}
from ${T}.account_change c ${joinAccount("a", "c.account")} left join ${T}.block b on b.height = c.height`,
  },
  {
    name: "leases",
    comment: "All leases. Only a cancellation changes the row of a final lease.",
    columns: {
      ...leaseColumns,
      cancelled_height: "Height of the block that cancelled it; null while it is in force",
      cancelled_position: "Position of the transaction that cancelled it",
      final:
        "True if the block that began the lease is persisted, and the one that cancelled it, if there is one",
    },
    query: leaseQuery(
      `l.cancelled_height, l.cancelled_position, ${isFinal("greatest(l.height, l.cancelled_height)")}`,
    ),
  },
  {
    name: "leases_in_force",
    comment: "Leases that are not cancelled, at the tip.",
    columns: { ...leaseColumns, final: FINAL },
    query: `${leaseQuery(isFinal("l.height"))} where l.cancelled_height is null`,
  },
  {
    name: "data_entries",
    comment: "Entries that data transactions set.",
    columns: {
      height: HEIGHT,
      position: POSITION,
      index: "Place in the transaction, from 0",
      address: "Address of the account",
      key: "Key as UTF-8",
      key_text: "Key as text; null if PostgreSQL cannot store it",
      type: "integer, boolean, binary or string",
      integer_value: "Value of an integer",
      boolean_value: "Value of a boolean",
      binary_value: "Value of a binary",
      string_value: "Value of a string as UTF-8",
      string_text: "Value of a string as text; null if PostgreSQL cannot store it",
      final: FINAL,
    },
    query: `select d.height, d.position, d.index, a.text as address, d.key, d.key_text, d.type, d.integer_value,
  d.boolean_value, d.binary_value, d.string_value, d.string_text, ${isFinal("d.height")}
from ${T}.data_entry d ${joinAccount("a", "d.account")}`,
  },
  {
    name: "data_now",
    comment: "The data of accounts, at the tip.",
    columns: {
      address: "Address of the account",
      key: "Key as UTF-8",
      key_text: "Key as text; null if PostgreSQL cannot store it",
      type: "integer, boolean, binary or string",
      integer_value: "Value of an integer",
      boolean_value: "Value of a boolean",
      binary_value: "Value of a binary",
      string_value: "Value of a string as UTF-8",
      string_text: "Value of a string as text; null if PostgreSQL cannot store it",
      height: "Height of the block that set it",
      final: FINAL,
    },
    query: `select a.text as address, d.key, d.key_text, d.type, d.integer_value, d.boolean_value, d.binary_value,
  d.string_value, d.string_text, d.height, ${isFinal("d.height")}
from (select distinct on (account, key) * from ${T}.data_entry
  order by account, key, height desc, position desc, index desc) d
${joinAccount("a", "d.account")}`,
  },
  {
    name: "sponsors",
    comment: "Accounts that pay the fees of others, at the tip.",
    columns: {
      address: "Address of the account whose fees are paid",
      sponsor: "Address of the account that pays them",
      height: "Height of the newest transaction that began the sponsorship",
      position: POSITION,
      final: FINAL,
    },
    query: `select r.text as address, s.text as sponsor, n.height, n.position, ${isFinal("n.height")}
from (select distinct on (recipient, sender) * from ${T}.sponsorship
  order by recipient, sender, height desc, position desc) n
${joinAccount("r", "n.recipient")} ${joinAccount("s", "n.sender")} where not n.cancels`,
  },
  {
    name: "scripts",
    comment: "Accounts with a script, at the tip.",
    columns: {
      address: "Address",
      script: "Bytes of the script",
      height: "Height of the block that set it",
      final: FINAL,
    },
    query: `select a.text as address, n.script, n.height, ${isFinal("n.height")}
from (select distinct on (account) * from ${T}.script order by account, height desc, position desc) n
${joinAccount("a", "n.account")} where n.script is not null`,
  },
  {
    name: "certificates",
    comment: "Accounts with an X.509 certificate, at the tip.",
    columns: {
      address: "Address",
      certificate: "Certificate as received, DER or BER",
      height: "Height of the block that set it",
      final: FINAL,
    },
    query: `select a.text as address, n.certificate, n.height, ${isFinal("n.height")}
from (select distinct on (account) * from ${T}.certificate order by account, height desc, position desc) n
${joinAccount("a", "n.account")} where n.certificate is not null`,
  },
  {
    name: "registered_keys",
    comment: "Public keys that register transactions published.",
    columns: {
      height: HEIGHT,
      position: POSITION,
      index: "Place in the transaction, from 0",
      sender: "Address of the transaction's sender",
      address: "Address of the key's account",
      key_type: "ed25519, secp256k1, secp256r1 or bls12-381",
      public_key: "Public key",
      final: FINAL,
    },
    query: `select k.height, k.position, k.index, s.text as sender, a.text as address, k.key_type, k.public_key,
  ${isFinal("k.height")}
from ${T}.register k ${joinAccount("s", "k.sender")} ${leftJoinAccount("a", "k.account")}`,
  },
  {
    name: "trust_roles",
    comment: "Roles of the trust network that accounts hold at the tip, without the root's own.",
    columns: {
      address: "Address of the account that holds the role",
      role: "Name of the role",
      sender: "Address of the account that granted it",
      type: "Type of the association that granted it",
      final: "True if all associations with the account are in persisted blocks",
    },
    query: `select a.text as address, r.role, s.text as sender, r.type, not exists (select from ${T}.association n
  where n.recipient = r.account and n.height > coalesce((select persisted_height from ${T}.chain), 0)) as final
from ${T}.role r ${joinAccount("a", "r.account")} ${joinAccount("s", "r.sender")}`,
  },
];
