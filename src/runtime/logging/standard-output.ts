import pino from "pino";

/** Maximum bytes of waiting lines; further lines are dropped. */
const MAX_WAITING_BYTES = 1_048_576;

/**
 * Returns a function that writes lines at once and never throws. While the disk is full or the terminal closed, lines
 * wait for the next call. They are dropped if a pipe's reader has ended.
 */
export function standardOutput(fd = 1): (line: string) => void {
  const output = pino.destination({ fd, sync: true, maxLength: MAX_WAITING_BYTES });
  // Without a listener, errors would be thrown.
  output.on("error", () => {});
  return (line) => void output.write(line);
}
