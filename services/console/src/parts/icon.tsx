/** Single strokes on a grid of 20. */
const paths = {
  overview: "M3 17V9m5 8V4m5 13v-6m4 6V7",
  project:
    "M3 6.5A1.5 1.5 0 0 1 4.5 5h3l2 2h6A1.5 1.5 0 0 1 17 8.5v6a1.5 1.5 0 0 1-1.5 1.5h-11A1.5 1.5 0 0 1 3 14.500z",
  provider: "M4 4h12v5H4zM4 11h12v5H4zM7 6.500h.01M7 13.500h.01",
  guardrail: "M10 3l6 2v5c0 3.500-2.500 6-6 7-3.500-1-6-3.500-6-7V5zM7.500 10l2 2 3.500-4",
  request: "M3 6h11l-3-3m6 11H6l3 3",
  audit: "M6 3h8a1 1 0 0 1 1 1v13l-5-2.500L5 17V4a1 1 0 0 1 1-1zm2 4h4m-4 3h4",
  system:
    "M10 7a3 3 0 1 0 0 6 3 3 0 0 0 0-6zm0-4v2m0 10v2m7-7h-2M5 10H3m11.950-4.950-1.420 1.420m-7.060 7.060-1.420 1.420m9.900 0-1.420-1.420M6.470 6.470 5.050 5.050",
  search: "M9 3.500a5.500 5.500 0 1 0 0 11 5.500 5.500 0 0 0 0-11zm4 9.500 4 4",
  sun: "M10 6.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7zM10 2v1.500m0 13V18m8-8h-1.500M3.500 10H2m13.660-5.660-1.060 1.060M5.400 14.600l-1.060 1.060m11.320 0-1.060-1.060M5.400 5.400 4.340 4.340",
  moon: "M16.500 12A7 7 0 0 1 8 3.500a7 7 0 1 0 8.500 8.500z",
  contrast: "M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zm0 0v14m2-13.500v13m2-12v11",
  person: "M10 9.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM4 17a6 6 0 0 1 12 0",
  copy: "M7 7h9v9H7zM13 7V4H4v9h3",
  check: "m4 10.500 4 4 8-9",
  plus: "M10 4v12M4 10h12",
  more: "M5 10h.01M10 10h.01M15 10h.01",
  trash: "M4 6h12M8 6V4h4v2m-6.500 0 .8 10.500h7.400L14.500 6",
  warning: "M10 3 2.500 16.500h15zM10 8v4m0 2.300v.01",
  cross: "m5 5 10 10M15 5 5 15",
  up: "m5 12 5-5 5 5",
  down: "m5 8 5 5 5-5",
  grip: "M7.500 5h.01M12.500 5h.01M7.500 10h.01M12.500 10h.01M7.500 15h.01M12.500 15h.01",
  refresh: "M16 10a6 6 0 1 1-1.800-4.300M16 3v3.500h-3.500",
} as const;

export type IconName = keyof typeof paths;

/** Decorative: adjacent text has the meaning. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === "more" || name === "grip" ? 2.5 : 1.6}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden
    >
      <path d={paths[name]} />
    </svg>
  );
}

/** Product's logo, square, `size` in pixels. Decorative: the product's name stands beside it. */
export function Logo({ size = 22 }: { readonly size?: number }) {
  return <img src="/console/favicon.svg" width={size} height={size} alt="" />;
}
