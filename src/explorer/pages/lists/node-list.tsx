/** Lists that the node answers in pages and exports as files. */
import type { ComponentChildren } from "preact";
import { type JsonOut, printJson } from "../../../bytes/json.ts";
import type { Answer, RouteKey } from "../../../client/index.ts";
import type { Arguments, RouteRequest } from "../../../client/types.ts";
import { useQuery } from "../../data/use-query.ts";
import type { Attempt, PageContext, QueryOptions } from "../../page.ts";
import {
  type ListPage,
  LongTable,
  type LongTableProps,
  PAGE_SIZE,
  toListPage,
} from "../../parts/lists/long-table.tsx";
import { Attempted } from "../../parts/panel.tsx";
import { listTexts as texts } from "./texts.ts";

type Parameters = Readonly<Record<string, unknown>>;

interface ExportProps {
  readonly context: PageContext;
  /** Of the node's route. */
  readonly path: string;
  readonly query?: Parameters;
}

export interface NodeList<Row, Cursor = string> extends ExportProps {
  readonly key: string;
  readonly first: Attempt<ListPage<Row, Cursor>> | undefined;
  loadPage(cursor?: Cursor, limit?: number): Promise<ListPage<Row, Cursor>>;
}

export function usePages<Row, Cursor>(
  { context, path, query = {} }: ExportProps,
  options: QueryOptions,
  loadPage: NodeList<Row, Cursor>["loadPage"],
): NodeList<Row, Cursor> {
  // Safe cast: queries consist of JSON values and bigints.
  const key = `list ${path} ${printJson(query as JsonOut)}`;
  return { context, path, query, key, loadPage, first: useQuery(context, key, () => loadPage(), options) };
}

export type RowOf<Key extends RouteKey> = Answer<Key> extends readonly (infer Row)[] ? Row : never;

/** @param rowsOf default: the answer is the list of rows */
export function useList<Key extends RouteKey, Row = RowOf<Key>>(
  context: PageContext,
  options: QueryOptions,
  route: Key,
  request: RouteRequest<Key>,
  rowsOf = (answer: Answer<Key>) => answer as readonly Row[],
): NodeList<Row> {
  const { params = {}, query = {} } = request as {
    readonly params?: Parameters;
    readonly query?: Parameters;
  };
  const path = route.replace("GET /", "").replace(/:(\w+)/g, (_, name: string) => String(params[name]));
  return usePages({ context, path, query }, options, async (cursor?: string, limit = PAGE_SIZE) => {
    // Safe cast: the routes of lists have these parameters.
    const paged = [{ params, query: { limit, cursor, ...query } }] as unknown as Arguments<Key>;
    const answer = await context.node.client.callWithHeaders(route, ...paged);
    return toListPage({ value: rowsOf(answer.value), header: (name) => answer.header(name) });
  });
}

/** Links to download a list. */
export function ExportLinks({ context, path, query = {} }: ExportProps) {
  const link = (format: "csv" | "json"): string => {
    const url = new URL(path, context.node.url);
    for (const [name, value] of Object.entries({ ...query, format }))
      for (const item of [value].flat()) if (item !== undefined) url.searchParams.append(name, String(item));
    return url.href;
  };
  return (
    <p class="export quiet">
      {texts.export}:{" "}
      <a href={link("csv")} download="">
        {texts.csv}
      </a>{" "}
      <a href={link("json")} download="">
        {texts.json}
      </a>
    </p>
  );
}

export function NodeTable<Row, Cursor>(
  props: Omit<LongTableProps<Row, Cursor>, "first" | "loadPage"> & {
    readonly list: NodeList<Row, Cursor>;
    /** Height while the first page is being loaded, in lines of text. */
    readonly lines?: number;
    /** Between the table and the links to download it. */
    readonly children?: ComponentChildren;
  },
) {
  const { list, lines = 20, children, ...table } = props;
  return (
    <>
      <Attempted
        attempt={list.first}
        lines={lines}
        render={(first) => <LongTable key={list.key} {...table} first={first} loadPage={list.loadPage} />}
      />
      {children}
      <ExportLinks {...list} />
    </>
  );
}
