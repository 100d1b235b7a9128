/** The views: what queries of users may rely on. */
import { quoteName, quoteText, VIEWS_SCHEMA } from "./statements.ts";
import { accountViews } from "./views/account-views.ts";
import { chainViews } from "./views/chain-views.ts";
import { tagFunction, viewFunctions } from "./views/functions.ts";
import { identityViews } from "./views/identity-views.ts";
import { transactionViews } from "./views/transaction-views.ts";
import type { SqlFunction, View } from "./views/view.ts";

export const allViews: readonly View[] = [
  ...chainViews,
  ...transactionViews,
  ...accountViews,
  ...identityViews,
];

export const allFunctions: readonly SqlFunction[] = [tagFunction, ...viewFunctions];

function* viewStatements({ name, comment, columns, query }: View): Generator<string> {
  const view = `${VIEWS_SCHEMA}.${name}`;
  yield `create or replace view ${view} as ${query}`;
  yield `comment on view ${view} is ${quoteText(comment)}`;
  for (const [column, text] of Object.entries(columns))
    yield `comment on column ${view}.${quoteName(column)} is ${quoteText(text)}`;
}

function* functionStatements({ name, parameters, comment, definition }: SqlFunction): Generator<string> {
  const types = parameters.replace(/\w+ (\w+)/g, "$1");
  yield `create or replace function ${VIEWS_SCHEMA}.${name}(${parameters}) ${definition}`;
  yield `comment on function ${VIEWS_SCHEMA}.${name}(${types}) is ${quoteText(comment)}`;
}

/** Creates or replaces views and functions. A view may gain columns at its end, but not lose or retype any. */
export function createViews(): string[] {
  return [
    ...allViews.flatMap((view) => [...viewStatements(view)]),
    ...allFunctions.flatMap((one) => [...functionStatements(one)]),
  ];
}
