import { ScriptException, ScriptRunError } from "../errors.ts";
import { type Expression, type FunctionCall, headerText } from "../expression.ts";
import type { NativeFunction } from "../library/define-native.ts";
import type { UserFunction } from "../library/user-functions.ts";
import { runTask, type Task } from "../trampoline.ts";
import type { ObjectType } from "../values/types.ts";
import { ObjectValue, type Value } from "../values/values.ts";
import { CallCache } from "./call-cache.ts";
import { ScriptWork, WorkLimitError } from "./work.ts";

export interface EvaluationContext {
  /** Global variables, computed on first use. */
  readonly variables: ReadonlyMap<string, () => Value>;
  readonly natives: ReadonlyMap<number, NativeFunction>;
  /** User functions by internal name. */
  readonly users: ReadonlyMap<string, UserFunction>;
  readonly constructors: ReadonlyMap<string, ObjectType>;
  /** Default: unlimited. */
  readonly work?: ScriptWork | undefined;
}

/** Work units per visited node and per skipped name in a lookup. */
const NODE_WORK = 100;
const LOOKUP_WORK = 3;

/** A name with its value or error, logged on first use. */
export type LogEntry =
  | { readonly name: string; readonly value: Value }
  | { readonly name: string; readonly error: string };

export type Evaluation = {
  readonly log: readonly LogEntry[];
  /** Visited nodes. */
  readonly steps: number;
} & (
  | { readonly value: Value }
  | { readonly error: string }
  | { readonly exception: string }
  | { readonly isWorkUsedUp: true }
);

/** Evaluates a tree. Throws only on a bug. Page 08 §13. */
export function evaluate(expression: Expression, context: EvaluationContext): Evaluation {
  const evaluator = new Evaluator(context);
  try {
    const value = runTask(evaluator.evaluate(expression, undefined));
    return { value, log: evaluator.log, steps: evaluator.steps };
  } catch (error) {
    const { log, steps } = evaluator;
    if (error instanceof ScriptRunError) return { error: error.message, log, steps };
    if (error instanceof WorkLimitError) return { isWorkUsedUp: true, log, steps };
    if (error instanceof ScriptException) return { exception: error.message, log, steps };
    throw error;
  }
}

interface Environment {
  readonly name: string;
  readonly cell: Cell;
  readonly outer: Environment | undefined;
}

/** A value, computed on first use. */
class Cell {
  /** Undefined until computed, and after a failure. */
  value: Value | undefined;
  error: ScriptRunError | undefined = undefined;
  /** Name to log on first use; undefined afterwards and for global variables. */
  logName: string | undefined;
  /** Undefined for global variables and arguments. */
  readonly expression: Expression | undefined;
  readonly environment: Environment | undefined;

  constructor(
    value: Value | undefined,
    logName: string | undefined,
    expression?: Expression,
    environment?: Environment,
  ) {
    this.value = value;
    this.logName = logName;
    this.expression = expression;
    this.environment = environment;
  }
}

class Evaluator {
  readonly log: LogEntry[] = [];
  steps = 0;
  readonly #context: EvaluationContext;
  readonly #globalCells = new Map<string, Cell>();
  readonly #calls: CallCache;
  readonly #work: ScriptWork;

  constructor(context: EvaluationContext) {
    this.#context = context;
    this.#work = context.work ?? new ScriptWork();
    this.#work.beginRun();
    this.#calls = new CallCache(this.#work);
  }

  *evaluate(start: Expression, outer: Environment | undefined): Task<Value> {
    let expression = start;
    let environment = outer;
    for (;;) {
      this.steps++;
      this.#work.charge(NODE_WORK);
      switch (expression.kind) {
        case "long":
        case "bytes":
        case "string":
        case "boolean":
          return expression.value;
        case "ref": {
          const cell = this.#lookup(expression.name, environment);
          return this.#computedValue(cell) ?? (yield this.#computeCell(cell));
        }
        case "if": {
          const condition: Value =
            this.#evaluateDirectly(expression.condition, environment) ??
            (yield this.evaluate(expression.condition, environment));
          if (typeof condition !== "boolean") {
            throw new ScriptException("java.lang.ClassCastException: a condition is not a Boolean");
          }
          expression = condition ? expression.whenTrue : expression.whenFalse;
          break;
        }
        case "block":
          environment = {
            name: expression.name,
            cell: new Cell(undefined, expression.name, expression.value, environment),
            outer: environment,
          };
          expression = expression.body;
          break;
        case "getter":
          return fieldOf(
            this.#evaluateDirectly(expression.object, environment) ??
              (yield this.evaluate(expression.object, environment)),
            expression.field,
          );
        case "call": {
          const callee = this.#callee(expression);
          const args: Value[] = [];
          for (const argument of expression.arguments) {
            args.push(
              this.#evaluateDirectly(argument, environment) ?? (yield this.evaluate(argument, environment)),
            );
          }
          if ("apply" in callee) return this.#calls.apply(callee, args);
          if ("fields" in callee) return new ObjectValue(callee, args.slice(0, callee.fields.length));
          environment = bindArguments(environment, callee, args);
          expression = callee.body;
          break;
        }
      }
    }
  }

  /** Returns the value of a constant or a computed name; undefined for other nodes. */
  #evaluateDirectly(expression: Expression, environment: Environment | undefined): Value | undefined {
    switch (expression.kind) {
      case "long":
      case "bytes":
      case "string":
      case "boolean":
        this.steps++;
        this.#work.charge(NODE_WORK);
        return expression.value;
      case "ref": {
        const value = this.#computedValue(this.#lookup(expression.name, environment));
        if (value !== undefined) this.steps++;
        this.#work.charge(NODE_WORK);
        return value;
      }
      default:
        return undefined;
    }
  }

  #lookup(name: string, environment: Environment | undefined): Cell {
    let skipped = 0;
    for (let at = environment; at !== undefined; at = at.outer, skipped++)
      if (at.name === name) {
        this.#work.charge(LOOKUP_WORK * skipped);
        return at.cell;
      }
    this.#work.charge(LOOKUP_WORK * skipped);
    const computed = this.#globalCells.get(name);
    if (computed !== undefined) return computed;
    const variable = this.#context.variables.get(name);
    if (variable === undefined) throw new ScriptRunError(`A definition of '${name}' not found`);
    const cell = new Cell(variable(), undefined);
    this.#globalCells.set(name, cell);
    return cell;
  }

  #computedValue(cell: Cell): Value | undefined {
    if (cell.error !== undefined) throw cell.error;
    if (cell.value !== undefined && cell.logName !== undefined) {
      this.log.push({ name: cell.logName, value: cell.value });
      cell.logName = undefined;
    }
    return cell.value;
  }

  /** Computes, stores and logs the cell's value or script error. @throws all errors of `evaluate` */
  *#computeCell(cell: Cell): Task<Value> {
    if (cell.expression === undefined) throw new Error("A cell has neither a value nor an expression");
    let value: Value;
    try {
      value = yield this.evaluate(cell.expression, cell.environment);
    } catch (error) {
      if (error instanceof ScriptRunError) {
        cell.error = error;
        if (cell.logName !== undefined) this.log.push({ name: cell.logName, error: error.message });
        cell.logName = undefined;
      }
      throw error;
    }
    cell.value = value;
    this.#computedValue(cell);
    return value;
  }

  #callee({ header }: FunctionCall): NativeFunction | UserFunction | ObjectType {
    const { natives, users, constructors } = this.#context;
    const callee =
      header.kind === "native"
        ? natives.get(header.id)
        : (users.get(header.name) ?? constructors.get(header.name));
    if (callee === undefined) throw new ScriptRunError(`function '${headerText(header)}' not found`);
    return callee;
  }
}

/** Drops surplus arguments and leaves missing parameters unbound. */
function bindArguments(
  caller: Environment | undefined,
  { parameters }: UserFunction,
  args: readonly Value[],
): Environment | undefined {
  let environment = caller;
  for (let i = 0; i < Math.min(parameters.length, args.length); i++) {
    const [name] = parameters[i];
    environment = { name, cell: new Cell(args[i], `(arg)${name}`), outer: environment };
  }
  return environment;
}

function fieldOf(object: Value, name: string): Value {
  if (!(object instanceof ObjectValue)) {
    throw new ScriptException(`java.lang.ClassCastException: only objects have a field '${name}'`);
  }
  const value = object.field(name);
  if (value === undefined) {
    throw new ScriptException(`java.util.NoSuchElementException: key not found: ${name}`);
  }
  return value;
}
