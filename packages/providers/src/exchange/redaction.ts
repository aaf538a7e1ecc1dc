import type { ProviderAddress } from "../provider.ts";

/** Longest message of a provider that is passed on, characters. */
const messageLengthMax = 300;

/** Formats of credentials of model providers and of Gatehouse, masked echoes (`sk-ab***yz`) included. */
const credentialForms: readonly RegExp[] = [
  /\bBearer\s+[^\s"',]+/gi,
  /\b(?:sk|pk|rk|gsk|xai|nvapi|svc_live|svc_test|svc_admin|whsec|ABSK|api[-_]?key)[-_:=]\s?[\w*.~+/=-]{4,}/gi,
  /\bABSK[\w+/=]{8,}/g,
  /\bAIza[\w*-]{8,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9*]{8,}/g,
  /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g,
  /\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{32,}/g,
];

/**
 * A provider's message, made safe to show: one line, at most 300 characters, without `secrets` and anything that looks like a
 * credential.
 */
export function redactMessage(text: string, secrets: readonly string[] = []): string {
  let safe = text;
  for (const secret of secrets) if (secret !== "") safe = safe.replaceAll(secret, "[redacted]");
  // Cut before the patterns run, with room for what they shorten, to bound the cost of a hostile text.
  safe = safe.slice(0, messageLengthMax * 4);
  for (const form of credentialForms) safe = safe.replace(form, "[redacted]");
  safe = safe.replace(/[\s\p{Cc}]+/gu, " ").trim();
  return safe.length <= messageLengthMax ? safe : `${safe.slice(0, messageLengthMax - 1)}…`;
}

/** Shorter parts of a credential are not secret, and redacting them would remove ordinary words. */
const secretLengthMin = 8;

/** Secrets of an address's credential: the whole, and its parts where it is several joined by colons. */
export function secretsOf({ apiKey }: ProviderAddress): readonly string[] {
  if (apiKey === undefined) return [];
  const whole = apiKey.reveal();
  return [whole, ...whole.split(":").filter((part) => part.length >= secretLengthMin && part !== whole)];
}
