/** Small words inside names. */
export const nameParticles: readonly string[] = [
  ..."de del della di da do dos das du des la le van von der den dem ten ter zu zum zur af av bin ibn bint el".split(
    " ",
  ),
  ..."De Del Della Di Da Du La Le Van Von Der Ten Ter El Bin Ibn".split(" "),
];

/** Words that stand in the place of a name without being one, in lower case: roles, groups, days, words of forms. */
export const noNames: ReadonlySet<string> = new Set([
  ..."sir madam sirs madams customer customers client clients all team everyone everybody there friend friends colleague".split(
    " ",
  ),
  ..."colleagues user users member members guest guests reader readers support service services sales office staff the".split(
    " ",
  ),
  ..."president minister chairman chairwoman chair speaker chancellor director manager doctor professor officer judge king".split(
    " ",
  ),
  ..."world universe america monday tuesday wednesday thursday friday saturday sunday january february march april june".split(
    " ",
  ),
  ..."july august september october november december i it this that you we they he she and or not no yes none".split(
    " ",
  ),
  ..."null undefined unknown anonymous test tests build deploy release install project product company inc ltd llc gmbh".split(
    " ",
  ),
  ..."corp server department university institute street road avenue bank group limited version file string number date".split(
    " ",
  ),
  ..."name title value type id please bitte enter required optional admin administrator root system assistant bot".split(
    " ",
  ),
  ..."important spelled here on in too taken hard easy mud sorry back later now call email phone at from to for with".split(
    " ",
  ),
  ..."called is was are pepper oetker pepper hr hiring recruiter recruiting committee editor editors board candidate".split(
    " ",
  ),
  ..."damen herren präsident doktor kollege kollegin kollegen kunde kunden kundin team zusammen alle leute welt der die das".split(
    " ",
  ),
  ..."tous toutes monsieur madame client clientes clientèle collègues amis équipe président le la les".split(" "),
  ..."todos todas señor señora señores cliente clientes equipo amigo amigos presidente usted tutti tutte signori signore".split(
    " ",
  ),
  ..."clienti colleghi senhor senhora senhores equipe allemaal heer dames heren klant klanten team państwo wszyscy".split(
    " ",
  ),
  ..."коллеги клиент друзья господа все клиенты pan pani pana tussauds müşterimiz kunder alla alle world mundo monde welt".split(
    " ",
  ),
  ..."my your our new workflow game simulator reviewer reviewers talent photogenic personality apt apartment suite unit floor internet house".split(
    " ",
  ),
]);
