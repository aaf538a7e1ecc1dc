/** Number of Unicode characters of a text: a surrogate pair is one, a lone surrogate too. */
export function codePointCount(text: string): number {
  let count = text.length;
  if (!/[\ud800-\udbff]/.test(text)) return count;
  for (let index = 1; index < text.length; index += 1) {
    const isLow = (text.charCodeAt(index) & 0xfc00) === 0xdc00;
    if (isLow && (text.charCodeAt(index - 1) & 0xfc00) === 0xd800) {
      count -= 1;
      index += 1;
    }
  }
  return count;
}
