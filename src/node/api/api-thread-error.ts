import { BaseError } from "../../errors/base-error.ts";

export class ApiThreadError extends BaseError {
  constructor(times: number, minutes: number) {
    super(`The HTTP thread ended ${times} times within ${minutes} minutes`, {
      hint: "see the log for the reasons",
    });
  }
}
