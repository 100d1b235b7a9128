/**
 * The reference's configuration file (HOCON, page 06 §8.1): its settings below `lto` by their own names, ours
 * below `holdfast` by the names of their flags. What else stands there may be used by substitutions.
 */
import { homedir, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { printJson } from "../../bytes/json.ts";
import { DescribedNetwork } from "../kinds/network-file-kind.ts";
import { readHocon } from "./hocon/read.ts";
import { HoconError, type HoconObject, type HoconValue, isNull, placeText } from "./hocon/values.ts";
import { IGNORED_PATHS, IGNORED_SECTIONS, reasonIgnored } from "./ignored-names.ts";
import { SettingCollector } from "./setting-collector.ts";
import { byReference, Rank, type SourceResult, settingOf } from "./settings-by-name.ts";
import { suggestion } from "./suggestion.ts";

/** Whether a path names a file in the reference's form, by its ending. */
export function isReferenceFile(path: string): boolean {
  return /\.(conf|hocon)$/i.test(path);
}

/** Name under which the reference has its settings, whatever the network is called. */
const REFERENCE = "lto";
const OURS = "holdfast";
const NETWORK = "blockchain.type";
const CUSTOM_NETWORK = "blockchain.custom";

/** What a substitution stands for that the file does not set: environment, then what the reference's program knows. */
function outside(environment: NodeJS.ProcessEnv): (path: string) => string | undefined {
  const home = homedir();
  const properties = new Map([
    ["user.home", home],
    ["user.dir", process.cwd()],
    ["java.io.tmpdir", tmpdir()],
    [`${REFERENCE}.directory`, join(home, "lto")],
    [`${REFERENCE}.data-directory`, join(home, "lto", "data")],
  ]);
  return (path) =>
    environment[path] ?? properties.get(path) ?? (path === "user.name" ? userInfo().username : undefined);
}

/** What a file in the reference's form sets. @throws an error of the system when it cannot be read */
export function fromReferenceFile(path: string, environment: NodeJS.ProcessEnv): SourceResult {
  try {
    const { root, notes, used } = readHocon(path, outside(environment));
    const collector = new ReferenceFileCollector(used);
    collector.warnings.push(...notes);
    collector.add(root);
    return collector;
  } catch (error) {
    if (!(error instanceof HoconError)) throw error;
    return { given: [], problems: [error.message], warnings: [] };
  }
}

class ReferenceFileCollector extends SettingCollector {
  readonly #used: ReadonlySet<string>;

  /** @param used the paths that substitutions name */
  constructor(used: ReadonlySet<string>) {
    super();
    this.#used = used;
  }

  add(root: HoconObject): void {
    for (const [name, value] of root.members) {
      if (value.kind !== "object" || (name !== REFERENCE && name !== OURS)) this.#elsewhere(name, value);
      else if (name === OURS)
        for (const [own, setting] of value.members)
          this.addFromFile(
            own,
            `${OURS}.${own} in ${placeText(setting.place)}`,
            isNull(setting) ? null : plain(setting),
          );
      else {
        this.#custom(value);
        for (const [inner, setting] of value.members) this.#reference(inner, setting);
      }
    }
  }

  #reference(path: string, value: HoconValue): void {
    if (path === CUSTOM_NETWORK) return;
    const whole = `${REFERENCE}.${path}`;
    const where = `${whole} in ${placeText(value.place)}`;
    const key = byReference.get(path);
    const reason = reasonIgnored(path, IGNORED_PATHS);
    if (key !== undefined) {
      const none = settingOf(key).kind.none;
      if (!isNull(value)) this.given.push({ key, rank: Rank.file, where, value: plain(asList(value)) });
      else if (none !== undefined) this.given.push({ key, rank: Rank.file, where, value: none });
    } else if (reason !== undefined) this.ignore(where, reason);
    else if (value.kind === "object")
      for (const [name, inner] of value.members) this.#reference(`${path}.${name}`, inner);
    else if (!this.#isUsed(whole)) {
      const known = [...byReference.keys(), CUSTOM_NETWORK].map((name) => `${REFERENCE}.${name}`);
      this.refuse(where, suggestion(whole, known, `${REFERENCE}.`));
    }
  }

  /** The custom network, where the file takes part in one. */
  #custom(section: HoconObject): void {
    const blockchain = section.members.get("blockchain");
    if (blockchain?.kind !== "object") return;
    const custom = blockchain.members.get("custom");
    if (custom === undefined || isNull(custom)) return;
    const type = blockchain.members.get("type");
    const where = `${REFERENCE}.${CUSTOM_NETWORK} in ${placeText(custom.place)}`;
    if (type?.kind !== "scalar" || type.text.toUpperCase() !== "CUSTOM")
      this.ignore(where, `${REFERENCE}.${NETWORK} is not CUSTOM`);
    else
      this.given.push({
        key: "node.genesis",
        rank: Rank.file,
        where,
        value: new DescribedNetwork(json(custom)),
      });
  }

  /** What stands beside our section and the reference's. */
  #elsewhere(path: string, value: HoconValue): void {
    const reason = reasonIgnored(path, IGNORED_SECTIONS);
    const where = `${path} in ${placeText(value.place)}`;
    if (reason !== undefined) this.ignore(where, reason);
    else if (!this.#isUsed(path))
      this.warnings.push(
        `${where} has no effect: there is no such section${suggestion(path, [REFERENCE, OURS])}`,
      );
  }

  /** Whether a substitution names it, something in it, or something that it is part of. */
  #isUsed(path: string): boolean {
    for (const used of this.#used)
      if (used === path || used.startsWith(`${path}.`) || path.startsWith(`${used}.`)) return true;
    return false;
  }
}

/** An object whose names are all numbers stands for a list, in the order of these numbers. */
function asList(value: HoconValue): HoconValue {
  if (value.kind !== "object" || value.members.size === 0) return value;
  const members = [...value.members];
  if (!members.every(([name]) => /^[0-9]{1,6}$/.test(name))) return value;
  const items = members.sort(([a], [b]) => Number(a) - Number(b)).map(([, item]) => item);
  return { kind: "list", items, place: value.place };
}

const JSON_NUMBER = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

/** A value as a setting reads it: text, as from a variable, and such texts in lists; objects as YAML has them. */
function plain(value: HoconValue): unknown {
  if (value.kind === "scalar") return value.text;
  return value.kind === "list" ? value.items.map(plain) : JSON.parse(json(value));
}

/** A value as JSON, numbers as they are written. */
function json(value: HoconValue): string {
  switch (value.kind) {
    case "object":
      return `{${[...value.members].map(([name, inner]) => `${printJson(name)}:${json(inner)}`).join(",")}}`;
    case "list":
      return `[${value.items.map(json).join(",")}]`;
    case "scalar": {
      const typed = !value.quoted && (JSON_NUMBER.test(value.text) || /^(true|false|null)$/.test(value.text));
      return typed ? value.text : printJson(value.text);
    }
  }
}
