import type { Arguments } from "../../api/control-plane.ts";
import { formatCount, toLabel } from "../../parts/format.ts";

const modes = ["pii", "secrets", "prompt_injection"] as const;
const lists = ["keywords", "patterns", "rules", "external"] as const;

/** Active checks of a policy, in the order of its form: `PII: mask`, `Keywords: 3`. */
export function checksInForce(policy: Arguments): readonly string[] {
  const judged = modes.flatMap((name) => {
    const mode = (policy[name] as { readonly mode?: unknown } | null | undefined)?.mode;
    return typeof mode !== "string" || mode === "off" ? [] : [`${toLabel(name)}: ${mode}`];
  });
  const listed = lists.flatMap((name) => {
    const entries = policy[name];
    return Array.isArray(entries) && entries.length > 0 ? [`${toLabel(name)}: ${formatCount(entries.length)}`] : [];
  });
  const { max_content_length: longest } = policy;
  const length = typeof longest === "number" ? [`Length: ${formatCount(longest)}`] : [];
  return [...judged, ...listed, ...length];
}
