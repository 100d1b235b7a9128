/**
 * Reads the reference's configuration file (HOCON, page 06 §8.1): its settings below `lto`, and settings of this node,
 * named like flags, below `holdfast`.
 */
import { homedir, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { printJson } from "../../bytes/json.ts";
import { DescribedNetwork } from "../kinds/network-file-kind.ts";
import { readHocon } from "./hocon/read.ts";
import { HoconError, type HoconObject, type HoconValue, isNull, placeText } from "./hocon/values.ts";
import { IGNORED_PATHS, IGNORED_SECTIONS, reasonIgnored } from "./ignored-names.ts";
import { SettingCollector } from "./setting-collector.ts";
import { byReference, keyAndValue, Rank, type SourceResult, settingOf } from "./settings-by-name.ts";
import { suggestion } from "./suggestion.ts";

export function isReferenceFile(path: string): boolean {
  return /\.(conf|hocon)$/i.test(path);
}

const REFERENCE_SECTION = "lto";
const OWN_SECTION = "holdfast";
const NETWORK_TYPE = "blockchain.type";
const CUSTOM_NETWORK = "blockchain.custom";

/** Looks up environment variables and Java properties. */
function externalValues(environment: NodeJS.ProcessEnv): (path: string) => string | undefined {
  const home = homedir();
  const properties = new Map([
    ["user.home", home],
    ["user.dir", process.cwd()],
    ["java.io.tmpdir", tmpdir()],
    [`${REFERENCE_SECTION}.directory`, join(home, "lto")],
    [`${REFERENCE_SECTION}.data-directory`, join(home, "lto", "data")],
  ]);
  return (path) =>
    environment[path] ?? properties.get(path) ?? (path === "user.name" ? userInfo().username : undefined);
}

/** Reports invalid HOCON as a problem. @throws system errors of reading the file */
export function fromReferenceFile(path: string, environment: NodeJS.ProcessEnv): SourceResult {
  try {
    const { root, warnings, used } = readHocon(path, externalValues(environment));
    const collector = new ReferenceFileCollector(used);
    collector.warnings.push(...warnings);
    collector.add(root);
    return collector;
  } catch (error) {
    if (!(error instanceof HoconError)) throw error;
    return { given: [], problems: [error.message], warnings: [] };
  }
}

class ReferenceFileCollector extends SettingCollector {
  readonly #used: ReadonlySet<string>;

  constructor(used: ReadonlySet<string>) {
    super();
    this.#used = used;
  }

  add(root: HoconObject): void {
    for (const [name, value] of root.members) {
      if (value.kind !== "object" || (name !== REFERENCE_SECTION && name !== OWN_SECTION))
        this.#addOtherSection(name, value);
      else if (name === OWN_SECTION)
        for (const [ownName, setting] of value.members)
          this.addFromFile(
            ownName,
            `${OWN_SECTION}.${ownName} in ${placeText(setting.place)}`,
            isNull(setting) ? null : toPlainValue(setting),
            setting.place.file,
          );
      else {
        this.#addCustomNetwork(value);
        for (const [inner, setting] of value.members) this.#addReferenceSetting(inner, setting);
      }
    }
  }

  #addReferenceSetting(path: string, value: HoconValue): void {
    if (path === CUSTOM_NETWORK) return;
    const fullPath = `${REFERENCE_SECTION}.${path}`;
    const where = `${fullPath} in ${placeText(value.place)}`;
    const settingName = byReference.get(path);
    const { file } = value.place;
    const reason = reasonIgnored(path, IGNORED_PATHS);
    if (settingName !== undefined) {
      const { key } = settingName;
      const none = settingOf(key).kind.none;
      if (!isNull(value))
        this.given.push({
          ...keyAndValue(settingName, toPlainValue(asList(value))),
          rank: Rank.file,
          where,
          file,
        });
      else if (none !== undefined) this.given.push({ key, rank: Rank.file, where, value: none });
    } else if (reason !== undefined) this.ignore(where, reason);
    else if (value.kind === "object")
      for (const [name, inner] of value.members) this.#addReferenceSetting(`${path}.${name}`, inner);
    else if (!this.#isReferenced(fullPath)) {
      const names = [...byReference.keys(), CUSTOM_NETWORK].map((name) => `${REFERENCE_SECTION}.${name}`);
      this.refuse(where, suggestion(fullPath, names, `${REFERENCE_SECTION}.`));
    }
  }

  #addCustomNetwork(section: HoconObject): void {
    const blockchain = section.members.get("blockchain");
    if (blockchain?.kind !== "object") return;
    const custom = blockchain.members.get("custom");
    if (custom === undefined || isNull(custom)) return;
    const type = blockchain.members.get("type");
    const where = `${REFERENCE_SECTION}.${CUSTOM_NETWORK} in ${placeText(custom.place)}`;
    if (type?.kind !== "scalar" || type.text.toUpperCase() !== "CUSTOM")
      this.ignore(where, `${REFERENCE_SECTION}.${NETWORK_TYPE} is not CUSTOM`);
    else
      this.given.push({
        key: "node.genesis",
        rank: Rank.file,
        where,
        value: new DescribedNetwork(jsonText(custom)),
      });
  }

  #addOtherSection(path: string, value: HoconValue): void {
    const reason = reasonIgnored(path, IGNORED_SECTIONS);
    const where = `${path} in ${placeText(value.place)}`;
    if (reason !== undefined) this.ignore(where, reason);
    else if (!this.#isReferenced(path))
      this.warnings.push(
        `${where} has no effect: there is no such section${suggestion(path, [REFERENCE_SECTION, OWN_SECTION])}`,
      );
  }

  /** Returns true if a substitution refers to the path or to a part or parent of it. */
  #isReferenced(path: string): boolean {
    for (const used of this.#used)
      if (used === path || used.startsWith(`${path}.`) || path.startsWith(`${used}.`)) return true;
    return false;
  }
}

/** Converts an object with only numeric names to a list in their order. */
function asList(value: HoconValue): HoconValue {
  if (value.kind !== "object" || value.members.size === 0) return value;
  const members = [...value.members];
  if (!members.every(([name]) => /^[0-9]{1,6}$/.test(name))) return value;
  const items = members.sort(([a], [b]) => Number(a) - Number(b)).map(([, item]) => item);
  return { kind: "list", items, place: value.place };
}

const JSON_NUMBER = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

function toPlainValue(value: HoconValue): unknown {
  if (value.kind === "scalar") return value.text;
  return value.kind === "list" ? value.items.map(toPlainValue) : JSON.parse(jsonText(value));
}

function jsonText(value: HoconValue): string {
  switch (value.kind) {
    case "object":
      return `{${[...value.members].map(([name, inner]) => `${printJson(name)}:${jsonText(inner)}`).join(",")}}`;
    case "list":
      return `[${value.items.map(jsonText).join(",")}]`;
    case "scalar": {
      const isJson =
        !value.quoted && (JSON_NUMBER.test(value.text) || /^(true|false|null)$/.test(value.text));
      return isJson ? value.text : printJson(value.text);
    }
  }
}
