/** Settings of the fit of weights, and the weight of each made-up source. */
export interface FitOptions {
  readonly passes: number;
  /** Pass from which the weights after each pass are averaged, which steadies them. */
  readonly averageFrom: number;
  readonly rate: number;
  readonly conceptRate: number;
  readonly decay: number;
  readonly seed: number;
  /** Benign windows drawn per long text and pass. */
  readonly windowsPerText: number;
  readonly sourcePower: number;
  readonly benignWeight: number;
  /** Weight of made-up sources against those of the corpus. */
  readonly ownWeight: number;
  /** Exceptions from it, by the part of the source's name after `own-`; what has 0 is left out. */
  readonly ownWeights: Readonly<Record<string, number>>;
  /** Share of lessons without the word features, so that texts without spaces are still recognised. */
  readonly joinedShare: number;
  /** Share of steps that see the ideas alone, so that they learn to decide without the wording. */
  readonly ideasShare: number;
}

const common = {
  passes: 10,
  averageFrom: 3,
  rate: 0.3,
  conceptRate: 0.1,
  decay: 1e-4,
  seed: 7,
  windowsPerText: 3,
  sourcePower: 0.25,
  benignWeight: 1,
  // They are there for variety: the corpus decides.
  ownWeight: 0.3,
  joinedShare: 0.05,
  ideasShare: 0.4,
};

const earlierWeights = {
  "en-everyday": 1,
  "en-ordinary": 1,
  "en-overrideFamily": 0.5,
  "en-leakFamily": 0.8,
  "multi-attack": 0.6,
  "multi-benign": 0.8,
  "multi-ordinary": 0.4,
  "misspelt-attack": 0.6,
  "misspelt-benign": 0.6,
  "tongue-attack": 0.8,
  "tongue-benign": 0.8,
  "written-attack": 1.5,
  "written-benign": 2.2,
  "written-note-attack": 1,
  "written-note-benign": 1,
  "written-tongue-attack": 1,
  "written-tongue-benign": 1,
};

/** Without the texts by outside authors. */
const withoutOutsideAuthors: FitOptions = {
  ...common,
  ownWeights: {
    ...earlierWeights,
    "written-single-attack": 0,
    "written-single-benign": 0,
    "written-single-ordinary": 0,
    "written-single-tongue-attack": 0,
    "written-single-tongue-benign": 0,
    "written-document-attack": 0,
    "written-document-benign": 0,
    "written-bare-attack": 0,
    "written-bare-benign": 0,
    "written-moved-attack": 0,
    "written-moved-benign": 0,
  },
};

/** With them, and with more of the other languages beside theirs. */
const withOutsideAuthors: FitOptions = {
  ...common,
  ownWeights: {
    ...earlierWeights,
    "multi-attack": 0.7,
    "tongue-attack": 1,
    "tongue-benign": 1,
    "written-tongue-attack": 1.4,
    "written-tongue-benign": 1.4,
    "written-single-attack": 0.8,
    "written-single-benign": 0.9,
    "written-single-ordinary": 0.7,
    "written-single-tongue-attack": 1.2,
    "written-single-tongue-benign": 1.2,
    "written-document-attack": 1,
    "written-document-benign": 1,
    "written-bare-attack": 0.5,
    "written-bare-benign": 0.5,
    "written-moved-attack": 0.5,
    "written-moved-benign": 0.5,
  },
};

/**
 * The weights are the mean of these: the first knows the corpus best, the second what outside authors write, and a mean of linear weights is
 * linear again.
 */
export const defaultFits: readonly FitOptions[] = [withoutOutsideAuthors, withOutsideAuthors];
