/**
 * Frequency of a letter after two others: 27 by 27 by 27 log-probabilities in 1/16 nats. Index 0 is the edge of a word,
 * and nothing before an edge counts.
 */
export type LetterStatistics = Int8Array;

/** 26 letters and the edge of a word. */
export const alphabetSide = 27;
/** Entries of {@link LetterStatistics}: one for each three letters in a row. */
export const letterStatisticsLength = alphabetSide ** 3;
/** Units of a log-probability in a nat. */
export const nat = 16;

/** Statistics laid out so that a letter takes five bits: no multiplying on the way to an entry. */
export const letterBits = 5;
const orderLength = 1 << (3 * letterBits);
/** Keeps the last three letters of a history of {@link letterBits} each. */
export const orderMask = orderLength - 1;
const lastTwo = (1 << (2 * letterBits)) - 1;

/** Letters in a row that are judged together. */
export const stretchLength = 64;
/** Stretches scoring less than this a letter start the closer look; prose of a dozen languages stays above. */
const unusualPerLetter = -2.95 * nat;
/** Stretches scoring less than this a letter may have misspelt words; one in a hundred of plain English does. */
const oddPerLetter = -2.35 * nat;
/** Two stretches in a row that both score less than this may, too; one in 35 of plain English does by itself. */
const oddInRowPerLetter = -2.25 * nat;
/** Letters that a stretch must have before a closer look. */
const unusualLetters = 10;
/** Added for each letter to the sum of a stretch, whose log-probabilities lie within half of this, so that one sum has both. */
const letterWorth = 1 << 14;

/** The statistics of three letters, at their places in the alphabet one after another in five bits each. */
export const inOrder = onceEach(orderOf);

/** Statistics for sums of stretches, which {@link isUnusual} judges: each entry counts a letter, too, unless it is an edge behind one. */
export const countedInOrder = onceEach((statistics) =>
  Int16Array.from(inOrder(statistics), (score, letters) => score + ((letters & lastTwo) === 0 ? 0 : letterWorth)),
);

/** Whether the letters of a stretch are in an order that prose does not have, by their sum. */
export function isUnusual(sum: number): boolean {
  return isBelow(sum, unusualPerLetter);
}

/** Whether words may be misspelt in a stretch, by its sum, or there or in the one before, by both. */
export function isOdd(sum: number, before: number): boolean {
  return isBelow(sum, oddPerLetter) || (isBelow(sum, oddInRowPerLetter) && isBelow(before, oddInRowPerLetter));
}

/** Stands for the sum of the stretch before the first one, which is odd. */
export const oddSum = unusualLetters * (letterWorth + 2 * unusualPerLetter);

function isBelow(sum: number, perLetter: number): boolean {
  const letters = Math.floor((sum + letterWorth / 2) / letterWorth);
  return letters >= unusualLetters && sum - letters * letterWorth < perLetter * letters;
}

function orderOf(statistics: LetterStatistics): Int8Array {
  const order = new Int8Array(orderLength);
  for (let place = 0; place < letterStatisticsLength; place += 1) {
    const [first, second] = [Math.floor(place / alphabetSide ** 2), Math.floor(place / alphabetSide) % alphabetSide];
    const third = place % alphabetSide;
    order[(first << (2 * letterBits)) | (second << letterBits) | third] = statistics[place] ?? 0;
  }
  return order;
}

/** The function, with what it made of each statistics kept. */
function onceEach<Made>(make: (statistics: LetterStatistics) => Made): (statistics: LetterStatistics) => Made {
  const known = new WeakMap<LetterStatistics, Made>();
  return (statistics) => {
    let made = known.get(statistics);
    if (made === undefined) {
      made = make(statistics);
      known.set(statistics, made);
    }
    return made;
  };
}
