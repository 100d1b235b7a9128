import { ANSWER_SETTINGS, answerSettingTexts } from "../../api/following/answer-settings.ts";
import { genesisBlock } from "../../blocks/genesis.ts";
import { encodeBase58 } from "../../bytes/base58.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import type { JsonOut } from "../../bytes/json.ts";
import type { SettingKey, Settings } from "../../config/settings.ts";
import { allSettings, splitKey } from "../../config/sources/settings-by-name.ts";
import { addressText } from "../../crypto/addresses.ts";
import { failed, ok, type Result } from "../../errors/result.ts";
import type { TrustSettings } from "../../indexes/trust/settings.ts";
import type { SourceDescription } from "../../interfaces.ts";

const adoptableSettings = allSettings.filter(([, { name }]) =>
  (ANSWER_SETTINGS as readonly string[]).includes(name),
);

/** A follower's settings. Those that affect API responses have its source's values. */
export interface AdoptedSettings {
  readonly settings: Settings;
  readonly trust: TrustSettings;
}

/** Returns why the source is not a node of this network; undefined if it is. */
function networkFault({ network }: SourceDescription, { profile }: Settings): string | undefined {
  const genesis = genesisBlock(profile).signature;
  if (bytesEqual(network.genesis, genesis) && network.chainId === profile.chainId) return undefined;
  return (
    `it is a node of another network: ${network.name}, genesis block ${encodeBase58(network.genesis)}; ` +
    `this node is of ${profile.networkName}, genesis block ${encodeBase58(genesis)}`
  );
}

/**
 * Adopts a source's settings. A setting that the operator gave must have the source's value.
 * @returns an error if the source has another network, a different setting or an invalid one
 */
export function adoptSettings(
  own: Settings,
  description: SourceDescription,
): Result<AdoptedSettings, string> {
  const fault = networkFault(description, own);
  if (fault !== undefined) return failed(fault);
  // TypeScript cannot infer the type of a setting from its name.
  const groups: Record<string, Record<string, unknown>> = {};
  const shown: Record<string, JsonOut> = { ...own.shown };
  for (const [key, { name, kind }] of adoptableSettings) {
    const text = description.settings[name];
    if (text === undefined) continue;
    const isJson = typeof own.shown[name] === "object";
    let value: unknown;
    try {
      // `read` treats a text as a file's path: pass the parsed object.
      value = kind.read(isJson ? requireObject(text) : text, own.profile);
    } catch {
      return failed(`it sends an invalid value of ${name}`);
    }
    const written = kind.write(value) as JsonOut;
    const givenBy = own.given.get(key);
    if (givenBy !== undefined && JSON.stringify(written) !== JSON.stringify(own.shown[name]))
      return failed(`its setting ${name} is ${text}, but ${givenBy} is ${JSON.stringify(own.shown[name])}`);
    shown[name] = written;
    const [group, member] = splitKey(key as SettingKey);
    groups[group] = { ...groups[group], [member]: value };
  }
  const settings = {
    ...own,
    shown,
    chain: { ...own.chain, ...groups.chain },
    index: { ...own.index, ...groups.index },
  };
  return ok({ settings, trust: { network: settings.index.trustNetwork, root: description.trustRoot } });
}

function requireObject(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null) throw new TypeError("not an object");
  return value;
}

/** Returns why the source does not fit the adopted settings; undefined if it does. */
export function settingsFault(
  { settings, trust }: AdoptedSettings,
  description: SourceDescription,
): string | undefined {
  const fault = networkFault(description, settings);
  if (fault !== undefined) return fault;
  const own = answerSettingTexts(settings.shown);
  for (const name of ANSWER_SETTINGS) {
    const text = description.settings[name];
    if (text !== undefined && text !== own[name])
      return `its setting ${name} is ${text}, but this node adopted ${own[name]}: restart this node`;
  }
  const [ownRoot, sourceRoot] = [trust.root, description.trustRoot].map((one) => one && addressText(one));
  if (ownRoot !== sourceRoot)
    return `its root of trust is ${sourceRoot ?? "none"}, but this node adopted ${ownRoot ?? "none"}: restart this node`;
  return undefined;
}
