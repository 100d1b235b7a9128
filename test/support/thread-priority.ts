/** Which threads of this process stand behind others, as Linux says it. */
import { readdirSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";

/** How far behind each of them stands, as `nice` counts; nothing on other systems. */
export function stepsBack(): number[] {
  if (process.platform !== "linux") return [];
  const stepOf = (thread: string): number => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, "latin1");
    // The seventeenth behind the name, which may hold anything.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]) - getPriority();
  };
  return readdirSync("/proc/self/task")
    .map(stepOf)
    .filter((step) => step > 0);
}
