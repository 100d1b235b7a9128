/** Generates the API reference page from the route definitions. */
import { methodsOf, type Route, scopeOf } from "../../src/api/route.ts";

const introduction = `# API reference

This page lists all routes of the server by topic. A test generates it from the route definitions (\`npm test -- test/docs.test.ts --update\`).
[api.md](api.md) shows how to use the routes; \`/api-docs/swagger.json\` of a node has every parameter, schema and error.

- Access: \`key\` means that the route needs the [API key](api.md#the-api-key), or a [named key](api.md#named-api-keys) with the scope in brackets; \`token\` means the token of \`POST /hash\`, if one is set.
- \`index\` marks routes of the indexer, which are also served under \`/index\`.
- Body: the format of the body, \`json\` or \`text\`. Errors: statuses in addition to those of [all routes](api.md#errors).
`;

function access(route: Route): string {
  const scope = scopeOf(route);
  const needs = scope !== undefined ? `key (${scope})` : route.access === "token" ? "token" : undefined;
  return [needs, route.family].filter((mark) => mark !== undefined).join(", ");
}

function input({ request = {} }: Route): string {
  const query = Object.keys(request.query ?? {}).map((name) => `\`${name}\``);
  return [...query, ...(request.body ? [`body: ${request.body.kind}`] : [])].join(", ");
}

function row(route: Route): string {
  const methods = methodsOf(route).filter((method) => method !== "HEAD");
  const errors = Object.keys(route.answers.failures ?? {}).join(", ");
  const cells = [methods.join(", "), `\`${route.path}\``, access(route), input(route), errors, route.summary];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

/** @returns Markdown with a table for each tag, in the order of the routes */
export function apiReference(routes: readonly Route[]): string {
  const tags = [...new Set(routes.map(({ tag }) => tag))];
  const sections = tags.map((tag) => {
    const rows = routes.filter((route) => route.tag === tag).map(row);
    const head =
      "| Method | Path | Access | Query, body | Errors | Summary |\n| --- | --- | --- | --- | --- | --- |";
    return `## ${tag.charAt(0).toUpperCase()}${tag.slice(1)}\n\n${head}\n${rows.join("\n")}\n`;
  });
  return [introduction, ...sections].join("\n");
}
