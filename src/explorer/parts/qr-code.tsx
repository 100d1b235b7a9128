/** A QR code of a text, drawn on request. */
import { useSignal } from "@preact/signals";
import { partTexts as texts } from "./texts.ts";
import { useCode } from "./use-code.ts";

/** Blank modules around the code, as ISO/IEC 18004 requires. */
const BORDER = 4;

function Drawing({ text, label }: QrCodeProps) {
  const code = useCode(() => import("uqr"));
  if (code === undefined) return null;
  const { data, size } = code.encode(text, { ecc: "M", border: BORDER });
  const dark = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  return (
    <svg class="qr-code" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`}>
      <rect width={size} height={size} class="light" />
      <path d={dark} class="dark" />
    </svg>
  );
}

interface QrCodeProps {
  readonly text: string;
  /** Text alternative. */
  readonly label: string;
}

export function QrCode(props: QrCodeProps) {
  const isOpen = useSignal(false);
  return (
    <>
      <button
        type="button"
        class="small"
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        {texts.qrCode}
      </button>
      {isOpen.value && <Drawing {...props} />}
    </>
  );
}
