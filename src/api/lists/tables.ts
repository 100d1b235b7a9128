import Type, { type TProperties, type TSchema } from "typebox";
import type { JsonOut } from "../../bytes/json.ts";
import { printList, printText } from "../../http/responses/chunked-json.ts";
import { csvLines } from "../../http/responses/csv.ts";
import { ChunkedBody, Reply } from "../../http/responses/reply.ts";
import type { ChainSnapshot, ListPage } from "../../interfaces.ts";
import type { ReadCall } from "../route.ts";
import { object, Timestamp } from "../schemas/common.ts";
import type { CursorCodec } from "./cursors.ts";
import { parseWord } from "./filters.ts";
import {
  invalidParameter,
  listReply,
  NextCursorHeader,
  PAGE_SIZE,
  type PageSizes,
  pageHeaders,
  parseLimit,
  parsePage,
} from "./pages.ts";

const FORMATS = ["json", "csv"] as const;
const CSV_TYPE = "text/csv";

const MAX_FILE_ROWS = 10_000;
const FILE_SIZE: PageSizes = { fallback: MAX_FILE_ROWS, max: MAX_FILE_ROWS };

/** Largest time that `Date` can represent. */
const MAX_DATE_MS = 8_640_000_000_000_000n;

export type Row = Readonly<Record<string, JsonOut>>;

/** Name of the file, and the members of its rows' schema: the columns, in order. */
export interface ListTable<Members extends TProperties = TProperties> {
  readonly name: string;
  readonly members: Members;
}

/** @throws the result of `refuse` for an unknown format */
function parseFormat(call: ReadCall, refuse?: (name: string) => Error): (typeof FORMATS)[number] | undefined {
  return parseWord(call, "format", FORMATS, refuse);
}

/** @throws the result of `refuse` for an unknown format */
export function isFileRequested(call: ReadCall, refuse?: (name: string) => Error): boolean {
  return parseFormat(call, refuse) !== undefined;
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

/**
 * Parses a page of a list that by default is answered as a whole. A file has at most `MAX_FILE_ROWS`.
 * @throws ApiError 400
 */
export function parseTablePage<Position>(
  call: ReadCall,
  codec: CursorCodec<Position>,
): ListPage<Position> | undefined {
  const page = parsePage(call, codec, invalidParameter);
  return page ?? (isFileRequested(call) ? { after: undefined, offset: 0, limit: MAX_FILE_ROWS } : undefined);
}

/** Returns a page, or a file. */
export function tableReply(...args: Parameters<typeof fileReply>): Reply {
  const [call, , , rows, next] = args;
  return fileReply(...args) ?? listReply(call, rows, next);
}

/** Returns a file with the height in its headers; undefined if the request asks for a page. */
export function fileReply(
  call: ReadCall,
  chain: ChainSnapshot,
  { name, members }: ListTable,
  rows: Iterable<Row>,
  next: string | undefined,
): Reply | undefined {
  const format = parseFormat(call);
  if (format === undefined) return undefined;
  const height = chain.height();
  const headers = pageHeaders(call, next, {
    "x-chain-height": String(height),
    "content-disposition": `attachment; filename="${name}-at-${height}.${format}"`,
  });
  if (format === "json") return new Reply({ body: new ChunkedBody(printList(rows)), headers });
  const columns = [...Object.keys(members), ...(members.timestamp === Timestamp ? ["time"] : [])];
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

export function tableAnswers<Members extends TProperties>(table: ListTable<Members>, title: string) {
  const page = Type.Array(object(table.members, title));
  return { ...fileAnswers(page, page), failures: { 400: "A parameter is not valid." } };
}

/** @param rows schema of a file; may equal `page` */
export function fileAnswers<Page extends TSchema>(page: Page, rows: TSchema) {
  return {
    ok: page,
    forms: { "application/json": page === rows ? page : Type.Union([page, rows]), [CSV_TYPE]: Type.String() },
    headers: FileHeaders,
  };
}

/** The rows of a file. */
export const rowsOf = <Members extends TProperties>({ members }: ListTable<Members>) =>
  Type.Array(object(members));
