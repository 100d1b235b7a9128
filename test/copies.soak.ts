import { afterAll, expect, test } from "vitest";
import { copyKinds, copyRounds, type Gaps, type Phase } from "./support/copy-rounds.ts";
import { removeFolder, temporaryFolder } from "./support/node-process.ts";

/** `npm run soak:backup -- --times 100` sets the number of backups and of snapshots, and a random seed. */
const times = Number(process.env.SOAK_TIMES);
const seed = Number(process.env.SOAK_SEED ?? 1);
const TRANSACTIONS = 3_000;
/** Maximum ratio of forging gaps while the node is copied to those of quiet times. */
const MAX_RATIO = 1.2;
/** Gaps from which a ratio says something. */
const MIN_GAPS = 300;
const folder = temporaryFolder("copies");

afterAll(() => removeFolder(folder));

test(
  `${times} backups and ${times} snapshots of a forging node restore, verify and continue`,
  async () => {
    const begun = performance.now();
    const report = await copyRounds({
      folder,
      times,
      seed,
      transactions: TRANSACTIONS,
      report: (rounds, gaps) => {
        if (rounds % 20 === 0)
          console.log(`${rounds} copies, ${minutes(performance.now() - begun)}\n${table(gaps).lines}`);
      },
    });
    expect(report.copies).toEqual({ backup: times, snapshot: times });
    expect(report.confirmed).toBeGreaterThan(0);
    expect(report.promised).toBeGreaterThan(0);
    console.log(
      `${times} backups and ${times} snapshots in ${minutes(performance.now() - begun)}: all restored, verified and ` +
        `continued. Height ${report.height}, ${report.accepted} transactions taken, ${report.promised} hashes anchored`,
    );
    const { lines, worst } = table(report.gaps);
    console.log(lines);
    if (report.gaps.quiet.length >= MIN_GAPS) expect(worst).toBeLessThanOrEqual(MAX_RATIO);
  },
  120_000 + times * 120_000,
);

function table(gaps: Gaps): { readonly lines: string; readonly worst: number } {
  const row = (phase: Phase): number[] => [0.5, 0.95, 1].map((share) => quantile(gaps[phase], share));
  const quiet = row("quiet");
  let worst = 0;
  const lines = ["gaps between commits   number   median, ms   95 %, ms   longest, ms   ratios"];
  for (const phase of ["quiet", ...copyKinds] as const) {
    const figures = row(phase);
    const ratios = figures.slice(0, 2).map((figure, i) => figure / quiet[i]);
    worst = Math.max(worst, ...ratios);
    const columns = [gaps[phase].length, ...figures.map((figure) => figure.toFixed(0))];
    const cells = columns.map((cell, i) => String(cell).padStart([9, 13, 11, 14][i]));
    lines.push(
      `${phase.padEnd(20)}${cells.join("")}   ${ratios.map((ratio) => ratio.toFixed(2)).join(" / ")}`,
    );
  }
  return { lines: lines.join("\n"), worst };
}

function quantile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

function minutes(milliseconds: number): string {
  return `${(milliseconds / 60_000).toFixed(1)} min`;
}
