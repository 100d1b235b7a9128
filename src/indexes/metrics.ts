import type { IndexName, IndexProgress } from "../interfaces.ts";
import { gauge, type Metrics, readOncePerTurn } from "../runtime/metrics.ts";
import { indexNames } from "./all.ts";

const states: readonly IndexProgress["state"][] = ["ready", "building", "clearing", "off"];
const index: readonly IndexName[] = indexNames;

export const indexMetrics = {
  height: gauge("holdfast_index_height", "Height up to which the index is complete.", {
    index,
  }),
  state: gauge(
    "holdfast_index_state",
    "Is 1 for the current state of the index, 0 for the others. `ready`: complete; `clearing`: its rows are being removed.",
    { index, state: states },
  ),
} as const;

export function observeIndexes(metrics: Metrics, progress: () => readonly IndexProgress[]): void {
  const read = readOncePerTurn(progress);
  metrics.observe(indexMetrics.height, () =>
    read().map(({ name, height }) => [{ index: name }, height] as const),
  );
  metrics.observe(indexMetrics.state, () =>
    read().flatMap(({ name, state: current }) =>
      states.map((state) => [{ index: name, state }, state === current ? 1 : 0] as const),
    ),
  );
}
