/** Errors in the JSON of a request. Page 02 §9.1, page 06 §4.4. */
import type { ValidationError } from "./errors.ts";

/** An error of a member: codes or texts, and their arguments. */
export interface JsonFault {
  readonly msg: readonly string[];
  readonly args: readonly string[];
}

/** The answer to a faulty request: page 06 §4.4 (`json`) or §4.5 (`validation`). */
export type RequestError =
  | {
      readonly kind: "json";
      /** Exception text of the reference that its routes pass on, or null. */
      readonly cause: string | null;
      /** Errors by path (`obj.amount`), in the order of the answer. */
      readonly validationErrors: ReadonlyMap<string, readonly JsonFault[]>;
    }
  | { readonly kind: "validation"; readonly error: ValidationError };

/** Never leaves `transactions/`. */
export class RequestRefusal extends Error {
  override readonly name = "RequestRefusal";
  readonly reason: RequestError;

  constructor(reason: RequestError) {
    super("the request is refused");
    this.reason = reason;
  }
}

export function refuse(error: ValidationError): never {
  throw new RequestRefusal({ kind: "validation", error });
}

/** Refuses like the reference when reading throws an unexpected exception. */
export function refuseWithCause(cause: string): never {
  throw new RequestRefusal({ kind: "json", cause, validationErrors: new Map() });
}

/** Collects errors by path, in the order of discovery. */
export class Faults {
  readonly byPath = new Map<string, JsonFault[]>();

  /** @returns undefined, so that a reader can return it */
  add(path: string, message: string, ...args: string[]): undefined {
    const fault = { msg: [message], args };
    const known = this.byPath.get(path);
    if (known === undefined) this.byPath.set(path, [fault]);
    else known.push(fault);
    return undefined;
  }

  get empty(): boolean {
    return this.byPath.size === 0;
  }

  addAll(other: Faults): undefined {
    for (const [path, faults] of other.byPath) {
      this.byPath.set(path, [...(this.byPath.get(path) ?? []), ...faults]);
    }
    return undefined;
  }
}
