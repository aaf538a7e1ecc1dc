/** Public names of what the PII filter finds, in the order in which a block names them: most severe first. */
export const piiEntities = [
  "api_key",
  "credit_card",
  "iban",
  "national_id",
  "person_name",
  "postal_address",
  "birth_date",
  "email",
  "phone_number",
  "ip_address",
] as const;

/** One of {@link piiEntities}. */
export type PiiEntity = (typeof piiEntities)[number];

/** Labels of the message `Request blocked: <label> detected in input.` */
export const piiLabels: Readonly<Record<PiiEntity, string>> = {
  api_key: "API key",
  credit_card: "Credit card",
  iban: "IBAN",
  national_id: "National ID",
  person_name: "Name",
  postal_address: "Address",
  birth_date: "Birth date",
  email: "E-Mail",
  phone_number: "Phone number",
  ip_address: "IP address",
};

/** Entities that only the words around them tell, and not always rightly: a policy has them where it names them. */
export const contextEntities = ["person_name", "postal_address", "birth_date"] as const satisfies readonly PiiEntity[];

/** Countries whose identity numbers can be switched on. */
export const nationalIdCountries = [
  "us",
  "gb",
  "es",
  "fr",
  "it",
  "br",
  "in",
  "pl",
  "de",
  "nl",
  "be",
  "at",
  "ch",
  "pt",
  "se",
  "no",
  "fi",
  "tr",
  "cn",
  "jp",
  "kr",
  "au",
  "ca",
  "mx",
  "za",
] as const;

/** One of {@link nationalIdCountries}. */
export type NationalIdCountry = (typeof nationalIdCountries)[number];

/** Entities to look for. */
export interface PiiSelection {
  readonly entities: ReadonlySet<PiiEntity>;
  readonly countries: ReadonlySet<NationalIdCountry>;
}

/** One entity, as a range of units of the reading it was found in. */
export interface PiiMatch {
  readonly entity: PiiEntity;
  readonly start: number;
  readonly end: number;
}
