import { EDGE, type Symbols } from "./symbols.ts";

/** Korean particles and forms of "to be" that are written onto a noun without a blank. */
const particles = new Set(
  (
    "은 는 이 가 을 를 의 에 도 만 과 와 로 으로 에서 에게 께 께서 한테 부터 까지 처럼 보다 마다 조차 마저 이나 나 이랑 랑 하고 " +
    "에는 에도 에서는 에서도 으로는 로는 으로부터 로부터 에게서 이라는 라는 이라고 라고 이란 란 입니다 이다 이에요 예요 인 이며 이고 들 들은 들이 들을 들의"
  ).split(" "),
);
/** Letters of the longest. */
export const particleLengthMax = 4;

/** Whether the word that goes on at `start`, in any script, ends in a Korean particle. */
export function isParticle({ codes, edges, length }: Symbols, start: number): boolean {
  let text = "";
  for (let index = start; index < length && text.length < particleLengthMax; index += 1) {
    const code = codes[index] ?? 0;
    if (!isHangul(code)) return false;
    text += String.fromCharCode(code);
    if (((edges[index + 1] ?? 0) & EDGE) !== 0) return particles.has(text);
  }
  return false;
}

function isHangul(code: number): boolean {
  return code >= 0xac00 && code <= 0xd7a3;
}
