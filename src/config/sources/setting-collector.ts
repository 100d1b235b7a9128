import { IGNORED_NAMES } from "./ignored-names.ts";
import { byName, type GivenSetting, keyAndValue, Rank, type SourceResult } from "./settings-by-name.ts";
import { suggestion } from "./suggestion.ts";

export class SettingCollector implements SourceResult {
  readonly given: GivenSetting[] = [];
  readonly problems: string[] = [];
  readonly warnings: string[] = [];

  /** Null counts as absent. */
  addFromFile(name: string, where: string, value: unknown, file: string): void {
    const settingName = byName.get(name);
    const reason = IGNORED_NAMES.get(name);
    if (reason !== undefined) this.ignore(where, reason);
    else if (settingName === undefined) this.refuse(where, suggestion(name, byName.keys()));
    else if (value !== null)
      this.given.push({ ...keyAndValue(settingName, value), rank: Rank.file, where, file });
  }

  ignore(where: string, reason: string): void {
    this.warnings.push(`${where} has no effect: ${reason}`);
  }

  refuse(where: string, hint: string): void {
    this.problems.push(`${where}: there is no such setting${hint}`);
  }
}
