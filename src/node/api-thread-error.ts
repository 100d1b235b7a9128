/** The HTTP thread ends again and again: whatever is wrong with it, starting it anew does not mend it. */
export class ApiThreadError extends Error {
  override readonly name = "ApiThreadError";
  constructor(times: number, minutes: number) {
    super(`The HTTP thread ended ${times} times within ${minutes} minutes: see the log for the reasons`);
  }
}
