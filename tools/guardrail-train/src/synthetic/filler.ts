import type { Random } from "../random.ts";
import { fill, type Grammar } from "./grammar.ts";

const syllables =
  "ba be bi bo da de di do fa fe ga go ha he in ka ke ki ko la le li lo lu ma me mi mo na ne ni no or pa pe pi po ra re ri ro sa se si so ta te ti to un va ve vi wa we ya yo za".split(
    " ",
  );
const common =
  "time year people way day man thing woman life child world school state family student group country problem hand part place case week company system program question work government number night point home water room mother area money story fact month lot right study book eye job word business issue side kind head house service friend father power hour game line end member law car city community name president team minute idea kid body information back parent face others level office door health person art war history party result change morning reason research girl guy moment air teacher force education foot boy age policy music process market sense nation plan college interest death experience effect use class control care field development role effort rate heart drug show leader light voice wife police mind price report decision son view relationship town road arm difference value building action season society tax director position player record paper space ground form event official matter center couple site project base activity star table court industry street image phone data picture practice piece land product doctor wall worker news test movie north love step key rule command prompt message instruction assistant secret password order user admin mode prior previous".split(
    " ",
  );
const verbs =
  "is has makes takes gives shows needs keeps holds moves brings runs stays leads meets pays sends finds turns calls helps starts ends grows falls opens builds reads writes says tells asks follows uses ignores forgets repeats covers reaches describes contains includes allows requires returns changes".split(
    " ",
  );

const grammar: Grammar = {
  adjective:
    "old|new|small|large|red|quiet|local|early|late|public|private|final|common|rare|heavy|light|open|simple|formal|annual|northern|recent|broad|plain",
  place:
    "in the town|at the office|near the river|on the second floor|in spring|after lunch|last year|during the war|in most cases|at night|in the table below|under the new law|across the country",
};

/** Word of two to four random syllables, for names and identifiers that no weight can learn. */
export function madeUpWord(random: Random): string {
  let word = "";
  for (let count = 2 + random.below(3); count > 0; count -= 1) word += syllables[random.below(syllables.length)] ?? "";
  return word;
}

/** Common English noun, lower case; some are typical of attacks, such as `prompt`, so that they count little by themselves. */
export function noun(random: Random): string {
  return common[random.below(common.length)] ?? "thing";
}

/** English sentence about nothing, with a capital and a full stop: harmless text alone, and padding around attacks. */
export function sentence(random: Random): string {
  const one = noun(random);
  const verb = verbs[random.below(verbs.length)] ?? "is";
  const forms = [
    `The {adjective} ${one} ${verb} a ${noun(random)} {place}.`,
    `A ${one} of the ${noun(random)} ${verb} the {adjective} ${noun(random)}.`,
    `The ${one} ${verb} the ${noun(random)} and the ${noun(random)} {place}.`,
    `${madeUpName(random)} ${verb} the ${one} {place}.`,
    `Every ${one} ${verb} some ${noun(random)}, but no ${noun(random)} ${verb} it.`,
    `It ${verb} more {adjective} ${noun(random)} than ${noun(random)} {place}.`,
  ];
  const text = fill(forms[random.below(forms.length)] ?? "", grammar, random);
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function madeUpName(random: Random): string {
  const word = madeUpWord(random);
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
