/** The bytes of a block, which are asked for when somebody wants them, and the check of its signature. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { blockBytesOf, type ShownBlockBytes } from "../../describe/block-bytes.ts";
import type { PageContext } from "../../page.ts";
import { Hex } from "../../parts/hex.tsx";
import { Notice } from "../../parts/notice.tsx";
import { byteCount } from "../../text/measures.ts";

/** What is needed of a block. */
interface Sized {
  readonly signature: string;
  readonly blocksize: number;
}

type Fetched =
  | "not asked"
  | "asked"
  | "failed"
  | { readonly bytes: Uint8Array; readonly is: ShownBlockBytes };

/** The bytes of a block with their fields, fetched on request. */
export function Bytes({
  block,
  context,
}: {
  readonly block: Sized;
  readonly context: PageContext;
}): JSX.Element {
  const fetched = useSignal<Fetched>("not asked");
  const active = useSignal<string | undefined>(undefined);
  const ask = async (): Promise<void> => {
    fetched.value = "asked";
    try {
      const params = { signature: block.signature };
      const bytes = await context.node.client.call("GET /blocks/bytes/:signature", { params });
      fetched.value = { bytes, is: blockBytesOf(bytes) };
    } catch (error) {
      // Whatever it is, one can try again.
      console.warn(error);
      fetched.value = "failed";
    }
  };
  const now = fetched.value;
  if (typeof now === "string")
    return (
      <p>
        <button type="button" disabled={now === "asked"} onClick={ask}>
          {now === "asked" ? "Fetching …" : `Show ${byteCount(block.blocksize)}`}
        </button>{" "}
        {now === "failed" && "The node did not give them; an older state of the newest block has none."}
      </p>
    );
  if ("problem" in now.is) return <p>What the node gave cannot be shown: {now.is.problem}.</p>;
  const { fields, id, isSigned } = now.is;
  const isRight = isSigned && id === block.signature;
  return (
    <>
      <Notice kind={isRight ? "right" : "wrong"}>
        <p>
          {isRight
            ? "Checked here: the signature is that of the generator over all bytes before it, and is the id. Nothing of the block was changed."
            : "Checked here: the signature is not that of the generator over these bytes, or not the id."}
        </p>
      </Notice>
      <Hex bytes={now.bytes} fields={fields} active={active} />
    </>
  );
}
