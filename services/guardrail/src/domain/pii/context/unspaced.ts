import type { PiiMatch } from "../entity.ts";
import { unspacedBirth, unspacedDate } from "./birth-dates.ts";
import { atomicRegExp, endAt, type Found, sticky } from "./lead.ts";

/** Letters of scripts without blanks between words, or with inflected words. */
export const unspacedLetters = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/u;

const surnames =
  "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何高林罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖田董袁潘于蒋蔣蔡余杜叶葉程苏蘇魏吕呂丁任沈姚卢盧姜崔钟鍾谭譚陆陸汪范金石廖贾賈夏韦韋付方白邹鄒孟熊秦邱江尹薛闫段雷侯龙龍史陶黎贺賀顾顧毛郝龚龔邵万萬钱錢严嚴";
const koreanSurnames =
  "김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모";

/** Each finds its entity as group 1. Bounded quantifiers; every beginning is a fixed word, or a bounded run. */
const names = new RegExp(
  [
    String.raw`(?:我叫|我是|我的名字是|我名叫|姓名[::]\s?|联系人[::]\s?|患者[::]\s?)([${surnames}]\p{Script=Han}{1,2})(?=[,。,.!\s;;、]|和|来|住|是|性|先|女|$)`,
    String.raw`(?<!\p{Script=Han})([${surnames}])(?=先生|女士|小姐|太太|老师|医生)`,
    String.raw`(?:名前は|氏名[::]\s?|名前[::]\s?|私は)([\p{Script=Han}]{2,5}|[\p{Script=Katakana}・ー]{3,16})(?=です|と申|で|、|。|\s|$)`,
    String.raw`(?<![\p{Script=Han}お])([\p{Script=Han}]{2,4})(?=さん|様|と申し)`,
    String.raw`(?:이름은|이름[::]\s?|성명[::]\s?|성함은)\s?([${koreanSurnames}][가-힣]{1,3}?)(?=입니다|이에요|예요|이고|[,.\s]|$)`,
    String.raw`(?<![가-힣])([${koreanSurnames}][가-힣]{2})(?=\s?씨)`,
  ].join("|"),
  "gu",
);
const addresses = atomicRegExp(
  [
    String.raw`(?<!\p{Script=Han})(?:\p{Script=Han}{0,8}?(?:住在|位于|地址是|地址为|寄到|送到|家在))?(\p{Script=Han}{2,30}(?:路|街|大道|巷|弄|胡同)\d{1,5}(?:号|號)(?:[\p{Script=Han}\d]{0,12}\d{1,4}(?:室|楼|樓|单元|栋|號|号))?)`,
    String.raw`(?<![가-힣])((?>[가-힣]{2,7}?(?:시|도)) ?(?:(?>[가-힣]{1,6}?(?:시|군|구)) ?){1,2}[가-힣\d]{1,12}(?:로|길|동) ?\d{1,5}(?:-\d{1,4})?(?:번지|번길 ?\d{1,4})?)`,
  ].join("|"),
  "gu",
);

/**
 * Japanese addresses begin anywhere in a run of letters, and their number ends it: read from there, each run is looked at
 * once, however long. Units: four of a prefecture, 37 of ward and street.
 */
const japanese = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]`;
const numberBehindRun = new RegExp(String.raw`(?<=(${japanese}{5,41}))\d`, "gu");
const prefectureAndWard = new RegExp(
  String.raw`(?:東京都|北海道|(?:京都|大阪)府|\p{Script=Han}{2,3}県)${japanese}{1,20}[市区町村郡]${japanese}{0,16}$`,
  "u",
);
const postcodeBefore = /〒?\d{3}-\d{4}\s?$/u;
const postcodeLengthMax = 10;
const blockNumbers = sticky(String.raw`\d{1,4}(?:(?:丁目|番地?|号|-)\d{0,4}){0,5}`);

function findJapaneseAddresses(text: string): Found[] {
  const found: Found[] = [];
  for (const { index, 1: run = "" } of text.matchAll(numberBehindRun)) {
    const place = prefectureAndWard.exec(run);
    if (place === null) continue;
    const start = index - place[0].length;
    const postcode = postcodeBefore.exec(text.slice(Math.max(0, start - postcodeLengthMax), start));
    found.push({ start: start - (postcode?.[0].length ?? 0), end: endAt(blockNumbers, text, index) });
  }
  return found;
}

/** Names, addresses and birth dates in scripts that put no blanks between words. */
export function findUnspaced(text: string, entities: ReadonlySet<string>): readonly PiiMatch[] {
  const matches: PiiMatch[] = [];
  const addAll = (expression: RegExp, entity: PiiMatch["entity"]): void => {
    for (const match of text.matchAll(expression)) {
      const value = match.slice(1).find((group) => group !== undefined) ?? "";
      const start = match.index + match[0].lastIndexOf(value);
      matches.push({ entity, start, end: start + value.length });
    }
  };
  if (entities.has("person_name")) addAll(names, "person_name");
  if (entities.has("postal_address")) {
    addAll(addresses, "postal_address");
    for (const found of findJapaneseAddresses(text)) matches.push({ entity: "postal_address", ...found });
  }
  if (entities.has("birth_date")) {
    for (const { index, 0: word } of text.matchAll(unspacedBirth)) {
      const found = unspacedDate(text, index + word.length);
      if (found !== undefined) matches.push({ entity: "birth_date", ...found });
    }
  }
  return matches;
}
