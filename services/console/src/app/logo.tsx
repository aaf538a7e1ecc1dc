/** The gate. */
export function Logo({ size = 22 }: { readonly size?: number }) {
  return <img src="/console/favicon.svg" width={size} height={size} alt="" />;
}
