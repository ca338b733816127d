"""Word lists of the generated demo sets: common words, each at least ten times in the demo corpus."""

from __future__ import annotations


def _words(text: str) -> list[str]:
    return text.split()


NOUNS = _words("""
time century number people year government population film country water group system language name history species
term area space day oil power society place region period food data metal result family law education character music
farm line surface mission crew movement process carbon technology field head battle model territory evidence culture
economy influence letter treatment problem son idea role day growth computer motion program religion range majority
information method song size policy student court human material community novel solution orbit television title class
organization variety industry paper definition egg team source chain knowledge summer element technique freedom
property plant trial philosopher soil structure night father career reaction border football mind blood parliament
cell machine birth skin mountain temperature frog branch brain income child decision tradition argument project
environment story campaign woman conflict victory ceremony speech artist volume money behavior location astronomy town
market weapon leader theory daughter tail sister author collection memory sky game heart clay painting pregnancy snow
chance slavery
""")

VERBS = _words("""
used known called became included made led found published established held wrote took said produced described
received brought influenced performed leading gave reached killed supported appointed sent signed decided adopted
needed returned founded joined presented argued lived allowed directed met completed went attempted recorded failed
added defeated claimed selected turned changed observed broadcast accepted intended remained reduced modified released
captured refused appeared designed sold planned awarded expressed asked announced tried occurred identified improved
launched fought raised controlled predicted spent won maintained grew showed kept shared collected destroyed opened
acquired translated attached recognized expanded distinguished charged suffered visited offered wanted survived helped
promoted owned paid defended restricted granted succeeded criticized explained separated voted invented told filled
learned settled operated heard landed attracted felt arranged indicated chose attacked discussed lasted understood
dropped obtained invited
""")

ADJECTIVES = _words("""
other many new large different major social small great political various similar important central southern northern
western common public local white free last certain good lower single civil ancient average cultural economic
available significant old short possible current medical strong original popular foreign religious traditional eastern
young physical special able recent legal direct independent scientific true basic federal chemical democratic
effective full whole famous simple active internal private numerous difficult formal historical critical annual rural
classical real professional digital moral nuclear clear additional financial necessary poor typical entire ethnic
unique technical heavy genetic contemporary upper universal experimental visual successful mathematical urban previous
beautiful liquid unknown cold external environmental notable diverse weak powerful artistic distinct biological
positive constant practical spiritual industrial academic pure radical essential solid sufficient responsible extreme
permanent normal functional modest naval vast linguistic proper minor detailed useful rare serious widespread dominant
fundamental warm hot toxic
""")

ADVERBS = _words("""
often later usually still sometimes generally especially rather almost mostly instead typically never largely always
primarily highly nearly widely mainly eventually probably particularly originally relatively again already directly
closely currently finally possibly initially simply completely previously actually perhaps officially soon
significantly traditionally effectively recently easily quickly extremely fully frequently greatly increasingly
entirely literally immediately specifically ultimately heavily successfully somewhat roughly notably slightly normally
subsequently gradually partly naturally clearly similarly historically occasionally independently rapidly essentially
regularly slowly
""")

FIRST_NAMES = _words("""
john george james william robert thomas alexander richard david henry joseph charles michael peter paul arthur edward
lewis samuel martin walter stephen edwin arnold frank benjamin louis andre alan victor harry abraham hugh friedrich
christopher jim albert
""")

LAST_NAMES = _words("""
lincoln einstein huxley tarkovsky agassi johnston rand taggart armstrong gershwin turing orwell aldrin lovell johnson
smith davis scott anderson jones russell schopenhauer proudhon jefferson washington hopkins collins rearden sampras
cornwallis swift kant aristotle plato napoleon galt borman
""")

PLACES = _words("""
alaska alabama azerbaijan albania algeria andorra angola america asia afghanistan europe africa armenia france spain
canada britain london california germany texas calgary japan italy kabul iran england virginia montgomery greece
netherlands mexico boston portugal georgia philadelphia chicago oxford vietnam jersey brazil florida quebec
pennsylvania maryland australia rome ireland berlin indiana israel colorado egypt korea paris russia china india
turkey aruba houston kandahar birmingham huntsville athens anchorage fairbanks kentucky illinois massachusetts moscow
luanda tirana
""")

NATIONALITIES = _words("""
american british greek european russian spanish albanian african afghan indian chinese egyptian canadian australian
italian japanese irish iranian jewish german french dutch turkish armenian azerbaijani angolan algerian catalan
persian portuguese arab muslim roman english soviet
""")

POLAR = {
    "praise": _words("""
good great best greatest famous popular beautiful successful success award awards victory won win winning winner
winners positive effective important powerful strong original unique prominent influential distinguished elegant
celebrated freedom peace happiness achievement achievements hero love friend gained improved benefits advantage
notable honor awarded gold championship creative perfect virtue beauty supported happy improve improvements recognized
inspired
"""),
    "blame": _words("""
bad poor death war disease killed destroyed failed failure violent violence attack attacks crisis damage losses lost
loss weak toxic unsafe false severe difficult dead crime criminal murder suffered suffering cancer pollution conflict
problem problems illness injuries symptoms disorder disorders drug invasion slavery slaves accused corruption rejected
criticized defeat defeated collapse poverty fear died deaths decline poison dangerous abuse
"""),
}

TOPICS = {
    "place": PLACES,
    "person": FIRST_NAMES + LAST_NAMES,
    "substance": _words("""
acid acids alkali alkanes alkane hydrogen lithium potassium caesium carbon sodium oxygen methane metal metals copper
bronze water petroleum oil chloride salts rubidium francium iron gold silver nitrogen alcohol ammonia asphalt bitumen
hydrocarbons atoms ions molecules electrons ethane compound compounds clay gas steel
"""),
    "animal": _words("""
frog frogs salamander salamanders toads amphibian amphibians tadpoles larvae fish dog dogs horse sheep birds reptiles
mammals insects termites aardvark aardwolf caecilians livestock cattle animal animals species organisms predators prey
eggs fossil tail gills lungs limbs teeth bear lion snakes lizards
"""),
    "society": _words("""
government law laws parliament politics policy policies elections election democracy party parties senate congress
court courts president minister constitution republic tax taxes economy trade army military troops police citizens
state states democrats republicans legislature treaty capitalism anarchism communism rights vote voters
"""),
    "art": _words("""
film films movie music song songs album novel novels book books poem poetry painting paintings theatre literature
television video actor actress director screenplay oscar oscars hollywood artist artists writer writers drama fiction
animation opera band documentary musical
"""),
}
