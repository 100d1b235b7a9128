import Type, { type TProperties } from "typebox";
import type { JsonOut } from "../../bytes/json.ts";
import { printList, printText } from "../../http/responses/chunked-json.ts";
import { csvLines } from "../../http/responses/csv.ts";
import { ChunkedBody, Reply } from "../../http/responses/reply.ts";
import type { ChainSnapshot } from "../../interfaces.ts";
import type { ReadCall } from "../route.ts";
import { object } from "../schemas/common.ts";
import { parseWord } from "./filters.ts";
import { NextCursorHeader, PAGE_SIZE, type PageSizes, pageHeaders, parseLimit } from "./pages.ts";

const FORMATS = ["json", "csv"] as const;
const CSV_TYPE = "text/csv";

const MAX_FILE_ROWS = 10_000;
const FILE_SIZE: PageSizes = { fallback: MAX_FILE_ROWS, max: MAX_FILE_ROWS };

/** Largest time that `Date` can represent. */
const MAX_DATE_MS = 8_640_000_000_000_000n;

export type Row = Readonly<Record<string, JsonOut>>;

/** Name and columns of the file, in order: the members of a row's schema. */
export interface ListTable<Members extends TProperties = TProperties> {
  readonly name: string;
  readonly members: Members;
}

/** @throws ApiError 400 */
function isFileRequested(call: ReadCall): boolean {
  return parseWord(call, "format", FORMATS) !== undefined;
}

/** A file has more rows than a page. @throws ApiError 400 */
export function parseTableLimit(call: ReadCall, sizes: PageSizes = PAGE_SIZE): number {
  return parseLimit(call, isFileRequested(call) ? FILE_SIZE : sizes);
}

function withIsoTime(row: Row): Row {
  const { timestamp } = row;
  if (typeof timestamp !== "bigint" || timestamp < 0n || timestamp > MAX_DATE_MS) return row;
  return { ...row, time: new Date(Number(timestamp)).toISOString() };
}

/** Returns a page, or a file with the height in its headers. */
export function tableReply(
  call: ReadCall,
  chain: ChainSnapshot,
  { name, members }: ListTable,
  rows: Iterable<Row>,
  next: string | undefined,
): Reply {
  const format = parseWord(call, "format", FORMATS);
  if (format === undefined)
    return new Reply({ body: new ChunkedBody(printList(rows)), headers: pageHeaders(call, next) });
  const height = chain.height();
  const headers = pageHeaders(call, next, {
    "x-chain-height": String(height),
    "content-disposition": `attachment; filename="${name}-at-${height}.${format}"`,
  });
  if (format === "json") return new Reply({ body: new ChunkedBody(printList(rows)), headers });
  const columns = [...Object.keys(members), ...("timestamp" in members ? ["time"] : [])];
  const body = new ChunkedBody(printText(csvLines(columns, withTimes(rows))));
  return new Reply({ type: `${CSV_TYPE}; charset=utf-8; header=present`, body, headers });
}

function* withTimes(rows: Iterable<Row>): Generator<Row> {
  for (const row of rows) yield withIsoTime(row);
}

export const formatParameter = {
  format: Type.Enum([...FORMATS], {
    description: `\`csv\` or \`json\`: a file with up to ${MAX_FILE_ROWS} rows, instead of a page.`,
  }),
};

const FileHeaders = {
  ...NextCursorHeader,
  "X-Chain-Height": { description: "Height at which a file was made.", schema: Type.String() },
  "Content-Disposition": { description: "Name of a file.", schema: Type.String() },
} as const;

export function tableAnswers<Members extends TProperties>({ members }: ListTable<Members>, title: string) {
  const ok = Type.Array(object(members, title));
  return {
    ok,
    forms: { "application/json": ok, [CSV_TYPE]: Type.String() },
    headers: FileHeaders,
    failures: { 400: "A parameter is not valid." },
  };
}
