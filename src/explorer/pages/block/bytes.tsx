import { useSignal } from "@preact/signals";
import type { DescribedBlockBytes } from "../../describe/bytes.ts";
import type { PageContext } from "../../page.ts";
import { Hex } from "../../parts/hex.tsx";
import { LoadButton } from "../../parts/lists/load-button.tsx";
import { Note } from "../../parts/panel.tsx";
import { commonTexts } from "../../text/common-texts.ts";
import { byteCount } from "../../text/text.ts";
import { blockTexts } from "./texts.ts";

const { bytes: texts } = blockTexts;

interface BlockRef {
  readonly signature: string;
  readonly blocksize: number;
}

function CheckedBytes(props: {
  readonly block: BlockRef;
  readonly bytes: Uint8Array;
  readonly decoded: DescribedBlockBytes;
}) {
  const { block, bytes, decoded } = props;
  const activeField = useSignal<string | undefined>(undefined);
  if ("problem" in decoded) return <p>{commonTexts.unreadableBytes(decoded.problem)}</p>;
  const { fields, id, isSigned } = decoded;
  const isVerified = isSigned && id === block.signature;
  return (
    <>
      <Note kind={isVerified ? "right" : "wrong"}>{isVerified ? texts.verified : texts.wrong}</Note>
      <Hex bytes={bytes} fields={fields} activeField={activeField} />
    </>
  );
}

export function Bytes({ block, context }: { readonly block: BlockRef; readonly context: PageContext }) {
  const fetch = async () => {
    const params = { signature: block.signature };
    const [bytes, { describeBlockBytes }] = await Promise.all([
      context.node.client.call("GET /blocks/bytes/:signature", { params }),
      import("../../describe/bytes.ts"),
    ]);
    return { bytes, decoded: describeBlockBytes(bytes) };
  };
  return (
    <LoadButton
      label={texts.show(byteCount(block.blocksize))}
      failedText={texts.failed}
      fetch={fetch}
      render={(loaded) => <CheckedBytes block={block} {...loaded} />}
    />
  );
}
