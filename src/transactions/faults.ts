/** What can be wrong with the JSON of a request. Page 02 §9.1, page 06 §4.4. */
import type { ValidationError } from "./errors.ts";

/** One thing that is wrong with a member: codes or texts, and what they speak of. */
export interface JsonFault {
  readonly msg: readonly string[];
  readonly args: readonly string[];
}

/** What a faulty request is answered with: page 06 §4.4 (`json`) or §4.5 (`validation`). */
export type RequestError =
  | {
      readonly kind: "json";
      /** Text of an exception of the reference that its routes pass on, else null. */
      readonly cause: string | null;
      /** Path (`obj.amount`) to what is wrong there, in the order of the answer. */
      readonly validationErrors: ReadonlyMap<string, readonly JsonFault[]>;
    }
  | { readonly kind: "validation"; readonly error: ValidationError };

/** Ends the reading of a request; never leaves `transactions/`. */
export class RequestRefusal extends Error {
  override readonly name = "RequestRefusal";
  readonly reason: RequestError;

  constructor(reason: RequestError) {
    super("the request is refused");
    this.reason = reason;
  }
}

/** Refuses with an error object of page 02 §7. */
export function refuse(error: ValidationError): never {
  throw new RequestRefusal({ kind: "validation", error });
}

/** Refuses as the reference does when reading throws an exception that it did not foresee. */
export function refuseWithCause(cause: string): never {
  throw new RequestRefusal({ kind: "json", cause, validationErrors: new Map() });
}

/** Collects what is wrong with the members of a request, by path, in the order of discovery. */
export class Faults {
  readonly byPath = new Map<string, JsonFault[]>();

  /** @returns undefined, so that a reader can end with it */
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

  /** Takes over what another reading found. */
  addAll(other: Faults): undefined {
    for (const [path, faults] of other.byPath) {
      this.byPath.set(path, [...(this.byPath.get(path) ?? []), ...faults]);
    }
    return undefined;
  }
}
