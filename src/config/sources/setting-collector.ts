import { IGNORED_NAMES } from "./ignored-names.ts";
import { byName, type GivenSetting, Rank, type SourceResult } from "./settings-by-name.ts";
import { suggestion } from "./suggestion.ts";

/** Collects the settings, problems and warnings of one source. */
export class SettingCollector implements SourceResult {
  readonly given: GivenSetting[] = [];
  readonly problems: string[] = [];
  readonly warnings: string[] = [];

  /** Adds a value of a file by its flag name. Null counts as absent. */
  addFromFile(name: string, where: string, value: unknown): void {
    const key = byName.get(name);
    const reason = IGNORED_NAMES.get(name);
    if (reason !== undefined) this.ignore(where, reason);
    else if (key === undefined) this.refuse(where, suggestion(name, byName.keys()));
    else if (value !== null) this.given.push({ key, rank: Rank.file, where, value });
  }

  /** Records a name without effect. */
  ignore(where: string, reason: string): void {
    this.warnings.push(`${where} has no effect: ${reason}`);
  }

  /** Records an unknown name. @param hint suggests a known one */
  refuse(where: string, hint: string): void {
    this.problems.push(`${where}: there is no such setting${hint}`);
  }
}
