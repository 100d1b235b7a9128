/** Reads the dashboards in `deploy/grafana/`. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** @param root folder of the repository */
export function dashboards(root: string): readonly Dashboard[] {
  const folder = join(root, "deploy", "grafana");
  return readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Dashboard);
}

export interface DashboardQuery {
  /** Dashboard and panel, for messages. */
  readonly where: string;
  readonly expression: string;
}

/** Returns the queries of all panels. @param root folder of the repository */
export function dashboardQueries(root: string): readonly DashboardQuery[] {
  return dashboards(root).flatMap(({ title, panels }) =>
    panels.flatMap((panel) =>
      (panel.targets ?? []).map(({ expr }) => ({ where: `${title}, ${panel.title}`, expression: expr })),
    ),
  );
}
