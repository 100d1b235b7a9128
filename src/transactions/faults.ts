/** Errors in JSON requests. Page 02 §9.1, page 06 §4.4. */
import type { ValidationError } from "./errors.ts";

/** Codes or texts of a member's error, with arguments. */
export interface JsonFault {
  readonly msg: readonly string[];
  readonly args: readonly string[];
}

/** Error responses: page 06 §4.4 (`json`) or §4.5 (`validation`). */
export type RequestError =
  | {
      readonly kind: "json";
      /** Exception text of the reference's routes, or null. */
      readonly cause: string | null;
      /** Errors by path (`obj.amount`), in response order. */
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

/** Reports an unexpected exception like the reference. */
export function refuseWithCause(cause: string): never {
  throw new RequestRefusal({ kind: "json", cause, validationErrors: new Map() });
}

/** Collects errors by path, in discovery order. */
export class Faults {
  readonly byPath = new Map<string, JsonFault[]>();

  /** @returns undefined, for readers to return */
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
