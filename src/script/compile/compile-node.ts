/** Page 08 §7, §8. */
import { hashString, immutableSetOrder } from "../../collections/hash-trie.ts";
import { ScriptCompileError } from "../errors.ts";
import { type Expression, FALSE, type FunctionHeader, TRUE } from "../expression.ts";
import type { Case, Let, Node, Part, Position } from "../text/syntax.ts";
import { runTask, type Task } from "../trampoline.ts";
import {
  BOOLEAN,
  BYTES,
  commonType,
  commonTypeOfAll,
  covers,
  equivalent,
  INT,
  listText,
  membersOf,
  NOTHING,
  type ParameterType,
  type SingleType,
  STRING,
  type Type,
  typeText,
  unionOf,
} from "../values/types.ts";
import { matchTypes, type Substitution } from "./type-matching.ts";

export interface Signature {
  readonly header: FunctionHeader;
  readonly parameters: readonly (readonly [name: string, type: ParameterType])[];
  readonly result: ParameterType;
}

export interface CompilerContext {
  readonly types: ReadonlyMap<string, Type>;
  readonly variables: ReadonlyMap<string, Type>;
  /** Overloads by name, in the order of error messages. */
  readonly functions: ReadonlyMap<string, readonly Signature[]>;
}

export interface Compiled {
  readonly expression: Expression;
  readonly type: Type;
}

/** @throws ScriptCompileError with the message of page 08 §8 */
export function compileNode(node: Node, context: CompilerContext): Compiled {
  return runTask(new Compiler(context).compile(node));
}

function failure(message: string, { start, end }: Position): ScriptCompileError {
  return new ScriptCompileError(`Compilation failed: ${message} in ${start}-${end}`);
}

function validPart<T>(part: Part<T>): T {
  if ("invalid" in part) throw failure(part.invalid, part.position);
  return part.value;
}

/** The reference's error for a case type that is not a valid name. */
const INVALID_TYPE_PART = (() => {
  const part = (kind: string) => `com.ltonetwork.lang.v1.parser.Expressions$PART$${kind}`;
  const [invalid, valid] = [part("INVALID"), part("VALID")];
  return `class ${invalid} cannot be cast to class ${valid} (${invalid} and ${valid} are in unnamed module of loader 'app')`;
})();

const HEADER_IS_INSTANCE_OF: FunctionHeader = { kind: "native", id: 1 };
const HEADER_THROW: FunctionHeader = { kind: "user", name: "throw" };

class Compiler {
  readonly #context: CompilerContext;
  readonly #variables: Map<string, Type>;
  #matchDepth = 0;

  constructor(context: CompilerContext) {
    this.#context = context;
    this.#variables = new Map(context.variables);
  }

  *compile(node: Node): Task<Compiled> {
    switch (node.kind) {
      case "long":
        return { expression: { kind: "long", value: node.value }, type: INT };
      case "bytes":
        return { expression: { kind: "bytes", value: validPart(node.part) }, type: BYTES };
      case "string":
        return { expression: { kind: "string", value: validPart(node.part) }, type: STRING };
      case "boolean":
        return { expression: node.value ? TRUE : FALSE, type: BOOLEAN };
      case "ref":
        return this.#reference(node.name, node.position);
      case "getter":
        return yield this.#getter(node.object, node.field, node.position);
      case "if":
        return yield this.#if(node.condition, node.whenTrue, node.whenFalse, node.position);
      case "binary": {
        const { left, operator, right, position } = node;
        const constant = (value: boolean): Node => ({ kind: "boolean", value, position });
        if (operator === "&&") return yield this.#if(left, right, constant(false), position);
        if (operator === "||") return yield this.#if(left, constant(true), right, position);
        return yield this.#call(operator, [left, right], position);
      }
      case "call":
        return yield this.#call(validPart(node.name), node.arguments, node.position);
      case "block":
        return yield this.#let(node.declaration, node.body, node.position);
      case "match":
        return yield this.#match(node.subject, node.cases, node.position);
      case "invalid":
        throw failure(node.message, node.position);
    }
  }

  #reference(name: string, position: Position): Compiled {
    const type = this.#variables.get(name);
    if (type === undefined) throw failure(`A definition of '${name}' is not found`, position);
    return { expression: { kind: "ref", name }, type };
  }

  *#getter(node: Node, part: Part<string>, position: Position): Task<Compiled> {
    const field = validPart(part);
    const object = yield this.compile(node);
    const members = membersOf(object.type);
    if (members.length === 0) {
      throw new ScriptCompileError("List() (of class scala.collection.immutable.Nil$)");
    }
    const types: Type[] = [];
    for (const member of members) {
      const type = member.kind === "object" ? member.fields.find(([name]) => name === field)?.[1] : undefined;
      if (type === undefined) {
        throw failure(
          `Undefined field \`${field}\` of variable of type \`Union(${listText(members)})\``,
          position,
        );
      }
      types.push(type);
    }
    return {
      expression: { kind: "getter", object: object.expression, field },
      type: commonTypeOfAll(types),
    };
  }

  *#if(conditionNode: Node, thenNode: Node, otherwiseNode: Node, position: Position): Task<Compiled> {
    const condition = yield this.compile(conditionNode);
    checkCondition(condition.type, position);
    const whenTrue = yield this.compile(thenNode);
    const whenFalse = yield this.compile(otherwiseNode);
    return {
      expression: {
        kind: "if",
        condition: condition.expression,
        whenTrue: whenTrue.expression,
        whenFalse: whenFalse.expression,
      },
      type: commonType(whenTrue.type, whenFalse.type),
    };
  }

  *#call(name: string, nodes: readonly Node[], position: Position): Task<Compiled> {
    const args: Expression[] = [];
    const types: Type[] = [];
    for (const node of nodes) {
      const argument: Compiled = yield this.compile(node);
      args.push(argument.expression);
      types.push(argument.type);
    }
    const { signature, substitution } = this.#chooseOverload(name, types, position);
    return {
      expression: { kind: "call", header: signature.header, arguments: args },
      type: resultType(signature.result, substitution),
    };
  }

  #chooseOverload(
    name: string,
    types: readonly Type[],
    position: Position,
  ): { signature: Signature; substitution: Substitution } {
    const overloads = this.#functionsNamed(name);
    const pairsOf = ({ parameters }: Signature) =>
      parameters.map(([, parameter], i) => [types[i], parameter] as const);
    if (overloads.length === 1) {
      const [signature] = overloads;
      const { length } = signature.parameters;
      if (length !== types.length) {
        const text = `Function '${name}' requires ${length} arguments, but ${types.length} are provided`;
        throw failure(text, position);
      }
      const result = matchTypes(pairsOf(signature));
      if (!result.ok) throw failure(result.error, position);
      return { signature, substitution: result.value };
    }
    const matching = overloads.flatMap((signature) => {
      if (signature.parameters.length !== types.length) return [];
      const result = matchTypes(pairsOf(signature));
      return result.ok ? [{ signature, substitution: result.value }] : [];
    });
    if (matching.length === 1) return matching[0];
    if (matching.length === 0) {
      throw failure(`Can't find a function '${name}'(${types.map(typeText).join(", ")})`, position);
    }
    const candidates = overloads.map(({ parameters }) => {
      const texts = parameters.map(([parameter, type]) => `(${parameter},${typeText(type)})`);
      return `'${name}'(${texts.join(", ")})`;
    });
    throw failure(`Can't choose an overloaded function. Candidates: ${candidates.join("; ")}`, position);
  }

  #functionsNamed(name: string): readonly Signature[] {
    const functions = this.#context.functions.get(name);
    if (functions !== undefined) return functions;
    const type = this.#context.types.get(name);
    if (type?.kind !== "object") return [];
    return [{ header: { kind: "user", name }, parameters: type.fields, result: type }];
  }

  *#let(declaration: Let, body: Node, position: Position): Task<Compiled> {
    const name = this.#checkedName(declaration.name, position);
    const value = yield this.compile(declaration.value);
    return yield this.#blockBody([], name, value, body, position);
  }

  /** Performs steps 1 to 3 of a BLOCK (page 08 §7). @param shadowed name that may be declared again */
  #checkedName(part: Part<string>, position: Position, shadowed?: string): string {
    const name = validPart(part);
    if (this.#variables.has(name) && name !== shadowed) {
      throw failure(`Value '${name}' already defined in the scope`, position);
    }
    if (this.#context.functions.has(name)) {
      const reason = "can't be defined because function with this name is already defined";
      throw failure(`Value '${name}' ${reason}`, position);
    }
    return name;
  }

  /** Returns a function that restores the outer variable, if any. */
  #declare(name: string, type: Type): () => void {
    const outer = this.#variables.get(name);
    this.#variables.set(name, type);
    return () => {
      if (outer === undefined) this.#variables.delete(name);
      else this.#variables.set(name, outer);
    };
  }

  /** Performs steps 5 to 7 of a BLOCK. */
  *#blockBody(
    types: readonly string[],
    name: string,
    value: Compiled,
    bodyNode: Node,
    position: Position,
  ): Task<Compiled> {
    const declaredTypes = types
      .map((type) => this.#context.types.get(type))
      .filter((type) => type !== undefined);
    if (declaredTypes.length < types.length) {
      const all = immutableSetOrder([...this.#context.types.keys()], hashString).join(", ");
      const text = `Value '${name}' declared as non-existing type, while all possible types are List(${all})`;
      throw failure(text, position);
    }
    const restore = this.#declare(name, types.length === 0 ? value.type : unionOf(...declaredTypes));
    const body = yield this.compile(bodyNode);
    restore();
    return {
      expression: { kind: "block", name, value: value.expression, body: body.expression },
      type: body.type,
    };
  }

  *#match(subjectNode: Node, cases: readonly Case[], position: Position): Task<Compiled> {
    const name = `$match${this.#matchDepth}`;
    this.#matchDepth++;
    // The reference compiles the subject before and after the increment, and uses the second result.
    const subject = yield this.compile(subjectNode);
    if (subject.type.kind !== "union") throw failure("Only union type can be matched", position);
    const shadowed = subjectNode.kind === "ref" ? subjectNode.name : undefined;
    const branches: CheckedCase[] = [];
    // The reference reports the error of the last invalid case.
    for (const source of cases.toReversed()) branches.unshift(this.#checkCase(source));

    const restore = this.#declare(name, subject.type);
    const compiled: CompiledCase[] = [];
    for (const branch of branches) {
      const result = yield this.#caseResult(branch, name, subject.type, shadowed);
      compiled.push({ types: branch.types, result });
      // Cases after a catch-all are not compiled.
      if (branch.types.length === 0) break;
    }
    restore();
    this.#matchDepth--;

    checkExhaustive(subject.type, branches, position);
    return assembleMatch(name, subject.expression, compiled);
  }

  #checkCase(source: Case): CheckedCase {
    const names = source.types.map((part) => {
      if ("invalid" in part) throw new ScriptCompileError(INVALID_TYPE_PART);
      return part.value;
    });
    const types = names.flatMap((name) => membersOf(this.#context.types.get(name) ?? unionOf()));
    if (names.length > 0 && types.length === 0) {
      const parts = source.types.map(({ position: { start, end } }, i) => {
        return `VALID(RealPos(${start},${end}),${names[i]})`;
      });
      const text = `Value 'ArrayBuffer(${parts.join(", ")})' declared as non-existing type, while all possible types are List()`;
      throw failure(text, source.position);
    }
    return { source, names, types };
  }

  *#caseResult(
    { source, names }: CheckedCase,
    match: string,
    subject: Type,
    shadowed: string | undefined,
  ): Task<Compiled> {
    const { variable, expression, position } = source;
    if (variable === undefined) return yield this.compile(expression);
    const name = this.#checkedName(variable, position, shadowed);
    const value: Compiled = { expression: { kind: "ref", name: match }, type: subject };
    return yield this.#blockBody(names, name, value, expression, position);
  }
}

interface CheckedCase {
  readonly source: Case;
  readonly names: readonly string[];
  /** Known types; empty for a catch-all case. */
  readonly types: readonly SingleType[];
}

interface CompiledCase {
  /** Empty for a catch-all case. */
  readonly types: readonly SingleType[];
  readonly result: Compiled;
}

function checkCondition(type: Type, position: Position): void {
  if (!equivalent(type, BOOLEAN)) {
    throw failure(`Unexpected type, required: Boolean, but ${typeText(type)} found`, position);
  }
}

/** @throws ScriptCompileError if a type parameter was not inferred */
function resultType(result: ParameterType, substitution: Substitution): Type {
  switch (result.kind) {
    case "parameter": {
      const type = substitution.get(result.code);
      if (type === undefined) throw new ScriptCompileError(`key not found: ${typeText(result)}`);
      return type;
    }
    case "parameter list":
      return { kind: "list", element: resultType(result.element, substitution) };
    case "parameter union":
      return unionOf(...result.members.map((member) => resultType(member, substitution)));
    default:
      return result;
  }
}

/** Builds the test that `match` has one of the types, the last type first. */
function typeTest(match: string, types: readonly SingleType[]): Expression {
  const test = (type: SingleType): Expression => ({
    kind: "call",
    header: HEADER_IS_INSTANCE_OF,
    arguments: [
      { kind: "ref", name: match },
      { kind: "string", value: typeText(type) },
    ],
  });
  const [first, ...others] = types;
  return others.reduce<Expression>(
    (whenFalse, type) => ({ kind: "if", condition: test(type), whenTrue: TRUE, whenFalse }),
    test(first),
  );
}

function checkExhaustive(subject: Type, branches: readonly CheckedCase[], position: Position): void {
  const matched: Type = { kind: "union", members: branches.flatMap(({ types }) => types) };
  const hasDefault = branches.at(-1)?.types.length === 0;
  if ((hasDefault && covers(subject, matched)) || equivalent(subject, matched)) return;
  const possible = listText(membersOf(subject));
  const text = `Matching not exhaustive: possibleTypes are ${possible}, while matched are ${listText(matched.members)}`;
  throw failure(text, position);
}

function assembleMatch(name: string, subject: Expression, cases: readonly CompiledCase[]): Compiled {
  let body: Expression = { kind: "call", header: HEADER_THROW, arguments: [] };
  let type: Type = NOTHING;
  for (const { types, result } of cases.toReversed()) {
    if (types.length === 0) ({ expression: body, type } = result);
    else {
      const condition = typeTest(name, types);
      body = { kind: "if", condition, whenTrue: result.expression, whenFalse: body };
      type = commonType(result.type, type);
    }
  }
  return { expression: { kind: "block", name, value: subject, body }, type };
}
