/** Icons of 16 × 16 px in the colour of the adjacent text. */

const paths = {
  mark: "M4 3v10M12 3v10M4 8h8",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.5 10.5 14 14",
  copy: "M6 6h7v7H6zM3 10V3h7",
  check: "M3 8.5 6.5 12 13 4.5",
  cross: "M4 4l8 8M12 4l-8 8",
  wait: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 5v3.5l2.5 1.5",
  dot: "M8 11A3 3 0 1 0 8 5a3 3 0 0 0 0 6Z",
  half: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 2v12",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5Z",
  sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1v2M8 13v2M1 8h2M13 8h2M3 3l1.4 1.4M11.6 11.6 13 13M3 13l1.4-1.4M11.6 4.4 13 3",
  back: "M10 3 5 8l5 5",
  link: "M6.5 9.5 12 4M8 4h4v4M7 5H4v7h7V9",
} as const;

export type IconName = keyof typeof paths;

/** Adjacent text must have the same meaning for screen readers. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} fill={name === "dot" ? "currentColor" : undefined} />
    </svg>
  );
}
