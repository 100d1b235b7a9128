import type { Route } from "../../api/route.ts";
import type { Shape } from "../decode.ts";
import { shapeOf } from "./shape-of.ts";

const HEAD = `/** The integers that are \`bigint\` in the answers of routes. The build makes this file from the schemas. */
import type { Shape } from "./decode.ts";
`;

/** Returns a shape as source code, which refers to its parts by name. */
function source(shape: Shape, name: (text: string) => string): string {
  const { big, items, members, others } = shape;
  const parts: string[] = [];
  if (big === true) parts.push("big: true");
  if (items !== undefined) parts.push(`items: ${source(items, name)}`);
  if (members !== undefined) {
    const list = Object.entries(members).map(
      ([key, member]) => `${JSON.stringify(key)}: ${source(member, name)}`,
    );
    parts.push(`members: { ${list.join(", ")} }`);
  }
  if (others !== undefined) parts.push(`others: ${source(others, name)}`);
  return name(`{ ${parts.join(", ")} }`);
}

/** Returns the source of `shapes.ts`, which is also JavaScript once its types are removed. */
export function shapesSource(routes: readonly Route[]): string {
  const names = new Map<string, string>();
  const name = (text: string): string => {
    const partName = names.get(text) ?? `s${names.size}`;
    names.set(text, partName);
    return partName;
  };
  const lines = routes.flatMap((route) => {
    const key = `${route.method} ${route.path}`;
    const shape = shapeOf(route.answers.ok, key);
    return Object.keys(shape).length === 0 ? [] : [`  ${JSON.stringify(key)}: ${source(shape, name)},\n`];
  });
  const parts = [...names].map(([text, short]) => `const ${short}: Shape = ${text};\n`);
  return (
    `${HEAD}\n${parts.join("")}\n/** Shapes by route. Routes without such integers are omitted. */\n` +
    `export const shapes: Readonly<Record<string, Shape>> = {\n${lines.join("")}};\n`
  );
}
