/** Priorities of this process's threads, according to Linux. */
import { readdirSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";

/** The nice value of each thread; an empty list on other systems. */
export function stepsBack(): number[] {
  if (process.platform !== "linux") return [];
  const stepOf = (thread: string): number => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, "latin1");
    // The seventeenth word after the name, which may contain anything.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]) - getPriority();
  };
  return readdirSync("/proc/self/task")
    .map(stepOf)
    .filter((step) => step > 0);
}
