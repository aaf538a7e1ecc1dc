import { type LimitUse, tokenUse } from "../../api/limit-use.ts";
import type { Token } from "../../api/types.ts";
import { formatCount } from "../../parts/format.ts";
import { MeterBar } from "../../parts/meter.tsx";

interface TokenLimitsProps {
  readonly token: Token;
  readonly use: LimitUse | undefined;
}

/** A token's rate limits, with their present use. */
export function TokenLimits({ token, use }: TokenLimitsProps) {
  const { id, name, rate_limit_per_minute: perMinute, rate_limit_per_hour: perHour } = token;
  const used = use && tokenUse(use, id);
  const limits = [
    { unit: "minute", limit: perMinute, count: used?.minute },
    { unit: "hour", limit: perHour, count: used?.hour },
  ].flatMap(({ limit, ...each }) => (typeof limit === "number" ? [{ ...each, limit }] : []));
  if (limits.length === 0) {
    return <span className="console-dimmed">none</span>;
  }
  return (
    <div className="console-limits">
      {limits.map(({ unit, limit, count }) => {
        const text = `${count === undefined ? "" : `${formatCount(count)} of `}${formatCount(limit)} per ${unit}`;
        return (
          <div key={unit}>
            {text}
            {count !== undefined && <MeterBar label={`${name}: ${text}`} share={limit === 0 ? 1 : count / limit} />}
          </div>
        );
      })}
    </div>
  );
}
