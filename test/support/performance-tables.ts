/** The tables of docs/performance.md, made from `bench/figures.json`. */
import { type Figure, meetsTarget, type Runs, targetText } from "../../bench/figures.ts";
import { getOrInsert } from "../../src/collections/get-or-insert.ts";

/** The benchmark that has a table of its own, at the end of the page. */
const SYNC = "sync-time";

const cell = (text: string): string => text.replaceAll("|", "\\|");
const table = (...rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `| ${cells.map(cell).join(" | ")} |`).join("\n");
const rule = (columns: number): readonly string[] => Array(columns).fill("---");

const number = (value: number): string => value.toLocaleString("en", { maximumSignificantDigits: 4 });

/** @param figure has a target */
function figureRow(name: string, figure: Figure): readonly string[] {
  const target = `${targetText(figure)}${meetsTarget(figure) ? "" : " (missed)"}`;
  return [name, figure.name, `${number(figure.value)} ${figure.unit}`, target, figure.note ?? ""];
}

/** One row for the runs of a day with the same machine and versions. */
function runRows(runs: Runs): readonly (readonly string[])[] {
  const rows = new Map<string, { readonly cells: readonly string[]; names: string[]; loads: number[] }>();
  for (const [name, { date, machine, versions }] of Object.entries(runs)) {
    const { processor, cores, memoryGiB, system, load } = machine;
    const cells = [
      date,
      `${processor}, ${cores} cores, ${memoryGiB} GiB, ${system}`,
      `${versions.holdfast}, Node.js ${versions.node}`,
    ];
    const { names, loads } = getOrInsert(rows, cells.join(), () => ({ cells, names: [], loads: [] }));
    names.push(`\`${name}\``);
    loads.push(load);
  }
  return [...rows.values()].map(({ cells, names, loads }) => {
    const [least, most] = [Math.min(...loads), Math.max(...loads)];
    return [names.join(", "), ...cells, least === most ? String(least) : `${least} to ${most}`];
  });
}

const tables: Readonly<Record<string, (runs: Runs) => string>> = {
  figures: (runs) =>
    table(
      ["Benchmark", "Figure", "Result", "Target", "Remark"],
      rule(5),
      ...Object.entries(runs)
        .filter(([name]) => name !== SYNC)
        .flatMap(([name, { figures }]) =>
          figures
            .filter(({ target }) => target !== undefined)
            .map((figure) => figureRow(`\`${name}\``, figure)),
        ),
    ),
  runs: (runs) => table(["Benchmarks", "Date", "Machine", "Versions", "Load"], rule(5), ...runRows(runs)),
  sync: (runs) =>
    table(
      ["Chain", "Time", "Remark"],
      rule(3),
      ...(runs[SYNC]?.figures ?? []).map(({ name, value, unit, note = "" }) => [
        name,
        `${number(value)} ${unit}`,
        note,
      ]),
    ),
};

/** Returns the page with its tables replaced. @throws Error if the page names an unknown table, or lacks one */
export function withTables(page: string, runs: Runs): string {
  const found = new Set<string>();
  const text = page.replace(/<!-- table: (\w+) -->\n[\s\S]*?<!-- end -->/g, (_, name: string) => {
    found.add(name);
    const make = tables[name];
    if (make === undefined) throw new Error(`Unknown table ${name}`);
    return `<!-- table: ${name} -->\n\n${make(runs)}\n\n<!-- end -->`;
  });
  const missing = Object.keys(tables).filter((name) => !found.has(name));
  if (missing.length > 0) throw new Error(`The page lacks the tables ${missing.join(", ")}`);
  return text;
}
