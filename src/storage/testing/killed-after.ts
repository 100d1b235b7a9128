import type { Store } from "../store.ts";

/** Runs `work` until it has made this many commits. @returns true if it was killed */
export function killedAfter(store: Store, commits: number, work: (store: Store) => unknown): boolean {
  let left = commits;
  const killed = new Error("killed");
  const dying = new Proxy(store, {
    get(target, name) {
      if (name === "write" && left-- === 0) throw killed;
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  try {
    work(dying);
    return false;
  } catch (error) {
    if (error !== killed) throw error;
    return true;
  }
}
