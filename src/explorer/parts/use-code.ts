import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** Loads code that the first view does not need. Returns undefined until the code is loaded. */
export function useCode<Code extends object>(load: () => Promise<Code>): Code | undefined {
  const code = useSignal<Code | undefined>(undefined);
  useEffect(() => {
    load().then((loaded) => {
      code.value = loaded;
    }, console.warn);
  }, []);
  return code.value;
}
