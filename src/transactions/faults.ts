/** Page 02 §9.1, page 06 §4.4. */
import type { ValidationError } from "./errors.ts";

/** Codes or texts of a member's error, and their arguments. */
export interface JsonFault {
  readonly msg: readonly string[];
  readonly args: readonly string[];
}

/** Why a request is rejected: page 06 §4.4 (`json`) or §4.5 (`validation`). */
export type RequestError =
  | {
      readonly kind: "json";
      /** Exception text of the reference's routes, or null. */
      readonly cause: string | null;
      /** Errors by path (`obj.amount`), in response order. */
      readonly validationErrors: ReadonlyMap<string, readonly JsonFault[]>;
    }
  | { readonly kind: "validation"; readonly error: ValidationError };

export class RequestRefusal extends Error {
  override readonly name = "RequestRefusal";
  readonly reason: RequestError;

  constructor(reason: RequestError) {
    super("The request is rejected");
    this.reason = reason;
  }
}

export function refuse(error: ValidationError): never {
  throw new RequestRefusal({ kind: "validation", error });
}

export function refuseWithCause(cause: string): never {
  throw new RequestRefusal({ kind: "json", cause, validationErrors: new Map() });
}

/** Collects errors by path, in discovery order. */
export class Faults {
  readonly byPath = new Map<string, JsonFault[]>();

  /** Returns undefined, for `return faults.add(…)`. */
  add(path: string, message: string, ...args: string[]): undefined {
    const fault = { msg: [message], args };
    const faults = this.byPath.get(path);
    if (faults === undefined) this.byPath.set(path, [fault]);
    else faults.push(fault);
    return undefined;
  }

  get isEmpty(): boolean {
    return this.byPath.size === 0;
  }

  addAll(other: Faults): undefined {
    for (const [path, faults] of other.byPath) {
      this.byPath.set(path, [...(this.byPath.get(path) ?? []), ...faults]);
    }
    return undefined;
  }
}
