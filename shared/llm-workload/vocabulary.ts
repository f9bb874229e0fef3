/**
 * The words of generated prompts: common English nouns, each one token with its leading space in the vocabularies of GPT and Llama
 * models, so that a prompt of n words has about n tokens. What a server counts is in its usage.
 */
export const VOCABULARY: readonly string[] = (
  'time year people way day man thing woman life child world school state family student group country problem ' +
  'hand part place case week company system program question work government number night point home water room ' +
  'mother area money story fact month lot right study book eye job word business issue side kind head house ' +
  'service friend father power hour game line end member law car city community name president team minute idea ' +
  'kid body information back parent face others level office door health person art war history party result ' +
  'change morning reason research girl guy moment air teacher force education foot boy age policy process music ' +
  'market sense nation plan college interest experience effect use class control field development role effort ' +
  'rate heart show leader light voice wife police mind price report decision son view relationship town road arm ' +
  'difference value building action season society tax director position player record paper space ground form ' +
  'event official matter center couple site project activity star table need court oil situation cost industry ' +
  'figure street image phone data picture practice piece land product doctor wall patient worker news test movie ' +
  'north love support technology step baby computer type film tree source hair window culture chance energy ' +
  'period course summer plant opportunity term letter condition choice rule south husband floor campaign material ' +
  'population call economy hospital church risk fire future bank east sport board subject officer rest behavior ' +
  'performance top goal second bed order author agency nature color store sound movement page race concern series ' +
  'language response animal factor decade article artist scene stock career treatment approach size dog fund ' +
  'media sign thought list individual quality pressure answer resource meeting disease success cup amount ability ' +
  'staff character growth loss degree region television box training trade deal election feeling standard bill ' +
  'message analysis benefit lawyer section glass skill sister professor operation stage compare authority design ' +
  'sort knowledge station strategy truth song example environment leg dark public executive set rock note manager ' +
  'help network science memory card seat cell trial expert spring firm radio management ball talk theory impact ' +
  'statement charge direction employee peace base pain play measure interview chair fish camera structure ' +
  'politics bit weight candidate production trip evening conference unit style adult range past edge writer ' +
  'trouble challenge fear shoulder institution sea dream bar property stuff detail method magazine hotel soldier ' +
  'cause bag heat fall marriage surface purpose pattern skin agent owner machine gas'
).split(' ');
