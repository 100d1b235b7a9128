import pino from "pino";

/** Maximum bytes of lines that wait while standard output fails. Further lines are dropped. */
const MAX_WAITING_BYTES = 1_048_576;

/**
 * Returns a function that writes lines at once and never throws. While the disk is full or a terminal is closed, lines
 * wait for the next call. After the end of a pipe's reader they are dropped.
 * @param fd standard output, or another file descriptor in tests
 */
export function standardOutput(fd = 1): (line: string) => void {
  const output = pino.destination({ fd, sync: true, maxLength: MAX_WAITING_BYTES });
  // Without a listener, an error would be thrown from the call that logs.
  output.on("error", () => {});
  return (line) => void output.write(line);
}
