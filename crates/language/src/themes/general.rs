//! What people say whatever they speak of: words that name no subject.

use crate::text::small::WordList;

/// Whether `word`, in lower case, names no subject. The small words do not either, and are not among these.
pub(super) fn is_general(word: &str) -> bool {
    GENERAL.has(word)
}

/// Verbs of every day, words for time, amount and manner, what people praise and complain with, months and days. By
/// no means all of them, and no word that is a subject of its own: a list of what people speak of would leave out most
/// of it. Sorted.
#[rustfmt::skip]
static GENERAL: WordList = WordList::of(&[
    "able", "above", "accept", "accepted", "across", "actual", "add", "added", "adding", "afternoons", "against", "ago",
    "agree", "agreed", "ahead", "allow", "allowed", "allows", "almost", "alone", "along", "already", "although",
    "amazed", "amazing", "among", "amount", "angry", "annoyed", "annoying", "answer", "anybody", "anymore", "anyone",
    "anytime", "anywhere", "apart", "apparently", "appear", "appears", "apply", "appreciate", "appreciated",
    "appreciates", "appreciation", "apr", "april", "arrive", "arrived", "aside", "ask", "asked", "asking", "asks",
    "assume", "attempt", "attend", "attended", "attending", "attitude", "aug", "august", "aware", "away", "awesome",
    "awful", "back", "bad", "badly", "balance", "base", "based", "basic", "beautiful", "became", "become", "becoming",
    "began", "begin", "beginning", "behind", "believe", "believed", "believes", "below", "best", "bet", "better",
    "between", "beyond", "big", "bigger", "biggest", "bit", "bits", "blast", "blessed", "boost", "bored", "boring",
    "both", "bother", "bothered", "boy", "boys", "bright", "bring", "bringing", "brings", "bro", "broke", "brought",
    "buddy", "bunch", "busy", "call", "called", "caller", "calling", "calm", "came", "capture", "care", "cared",
    "cares", "caring", "case", "cases", "catch", "caught", "cause", "caused", "causes", "certain", "challenge",
    "challenges", "challenging", "chance", "chances", "change", "changed", "changes", "changing", "chat", "chatted",
    "chatting", "check", "checked", "checking", "checks", "cherish", "cherished", "child", "children", "choose",
    "chose", "chosen", "clear", "clearly", "close", "closed", "closer", "comes", "comfort", "comfortable", "coming",
    "common", "complain", "complete", "complicated", "concern", "concerned", "confidence", "confident", "confused",
    "congrats", "connect", "connected", "connecting", "connection", "consider", "considered", "considering", "continue",
    "continued", "cool", "count", "couple", "crazy", "create", "created", "creates", "creating", "creative", "curious",
    "current", "currently", "cut", "cute", "daily", "damn", "date", "dates", "days", "deal", "dealing", "dec",
    "december", "decide", "decided", "decision", "decisions", "deep", "deeper", "deeply", "delighted", "depend",
    "depends", "deserve", "desire", "despite", "details", "determination", "determined", "develop", "developed",
    "developing", "difference", "different", "difficult", "direct", "direction", "disappointed", "discover",
    "discovered", "discuss", "discussed", "discussing", "discussion", "dozen", "dream", "dreams", "drop", "dropped",
    "dude", "due", "during", "each", "eager", "early", "easier", "easily", "easy", "eight", "either", "eleven",
    "emotional", "emotions", "encourage", "encouraged", "encouragement", "encouraging", "end", "ended", "ending",
    "enjoy", "enjoyed", "enjoying", "enjoys", "enough", "ensure", "entire", "entirely", "epic", "especially",
    "essential", "even", "evenings", "eventually", "everybody", "everyday", "everyone", "everywhere", "exact",
    "example", "except", "exchange", "excited", "excitement", "exciting", "expect", "expected", "experience",
    "experiences", "explain", "explained", "explore", "explored", "exploring", "express", "extra", "extremely", "face",
    "faced", "facing", "fact", "fail", "failed", "fair", "fairly", "fall", "falling", "fam", "familiar", "fantastic",
    "far", "fast", "fav", "fave", "favorite", "favourite", "fear", "feb", "february", "feel", "feeling", "feelings",
    "feels", "fell", "felt", "few", "fifth", "fifty", "fight", "figure", "figured", "fill", "filled", "final",
    "finally", "find", "finding", "finds", "finish", "finished", "first", "five", "fix", "focus", "focused", "focusing",
    "follow", "following", "force", "forever", "forgot", "form", "former", "forms", "forty", "forward", "found", "four",
    "fourth", "free", "fresh", "fri", "friday", "front", "frustrated", "frustrating", "fulfilling", "full", "fun",
    "funny", "future", "gain", "gave", "general", "generally", "gets", "girl", "girls", "given", "gives", "giving",
    "glad", "glimpse", "goal", "goals", "goes", "gone", "gorgeous", "gotten", "grand", "grateful", "greatest", "grew",
    "grow", "growing", "grown", "growth", "guess", "guy", "guys", "haha", "half", "hand", "handle", "hang", "happen",
    "happened", "happening", "happens", "happy", "hard", "hardly", "hate", "hated", "hates", "heading", "heads", "hear",
    "heard", "hearing", "hears", "held", "help", "helped", "helping", "helps", "herself", "high", "himself", "hold",
    "holding", "honest", "hope", "hoped", "hopeful", "hopefully", "hopes", "hoping", "hot", "hour", "hours", "however",
    "huge", "hugs", "hundred", "hurry", "hurt", "idea", "ideas", "imagine", "immediately", "impact", "importance",
    "important", "impossible", "impressive", "improve", "improved", "improving", "include", "included", "includes",
    "including", "incredible", "information", "insane", "inside", "inspire", "inspired", "inspires", "inspiring",
    "instead", "intense", "interest", "interested", "interesting", "invite", "invited", "involve", "involved", "issue",
    "issues", "item", "items", "jan", "january", "join", "joined", "joining", "journey", "joy", "jul", "july", "jun",
    "june", "keen", "keep", "keeping", "keeps", "kept", "kid", "kids", "kinda", "kinds", "knew", "knowing", "known",
    "knows", "large", "last", "lasting", "late", "lately", "later", "lead", "leads", "learn", "learned", "learning",
    "leave", "leaving", "left", "less", "lesson", "lessons", "letting", "level", "lift", "liked", "likely", "likes",
    "limit", "line", "list", "listening", "live", "lived", "lives", "living", "load", "lol", "long", "longer", "looked",
    "looking", "looks", "lose", "losing", "loss", "lost", "lots", "love", "loved", "lovely", "loves", "loving", "low",
    "luck", "luckily", "lucky", "magical", "main", "major", "makes", "making", "manage", "managed", "managing", "mar",
    "march", "master", "matter", "matters", "meaningful", "means", "meant", "meet", "meeting", "memorable", "memories",
    "memory", "men", "mention", "mentioned", "mess", "met", "million", "mind", "minute", "minutes", "miss", "missed",
    "misses", "missing", "mistake", "mister", "mix", "moment", "moments", "mon", "monday", "month", "months", "mood",
    "moreover", "mornings", "mostly", "motivate", "motivated", "motivates", "motivating", "motivation", "move", "moved",
    "moving", "mrs", "natural", "near", "nearby", "nearly", "neat", "necessary", "needed", "needs", "negative",
    "nervous", "new", "next", "nicely", "night", "nights", "nine", "nobody", "noon", "normal", "normally", "notice",
    "noticed", "nov", "november", "number", "numbers", "obviously", "oct", "october", "offer", "offered", "offers",
    "old", "once", "ones", "open", "opened", "opening", "opportunities", "opportunity", "option", "options", "order",
    "ordinary", "original", "others", "ought", "ourselves", "outcome", "outside", "overall", "overcome", "overwhelmed",
    "overwhelming", "owned", "pace", "pain", "pair", "part", "particularly", "parts", "pass", "passed", "passing",
    "passion", "passionate", "past", "path", "paths", "peace", "peaceful", "people", "perfectly", "period", "personal",
    "perspective", "phone", "pic", "pick", "picked", "picking", "pics", "piece", "place", "places", "plan", "planned",
    "planning", "plans", "plenty", "plus", "point", "points", "popular", "positive", "possible", "possibly", "post",
    "power", "powerful", "prepare", "prepared", "preparing", "present", "pressure", "pretty", "price", "priceless",
    "probably", "problem", "problems", "process", "progress", "promise", "promised", "proper", "properly", "proud",
    "prove", "provide", "provided", "pull", "pulled", "pumped", "purpose", "push", "pushed", "pushing", "put", "puts",
    "putting", "quality", "question", "questions", "quick", "quickly", "quiet", "rad", "raise", "raised", "random",
    "range", "rare", "rarely", "rate", "rather", "reach", "reached", "reaction", "ready", "real", "reality", "realize",
    "realized", "reason", "reasons", "recall", "receive", "received", "recent", "recently", "recharge", "recommend",
    "recommendation", "recommendations", "recommended", "refreshed", "refreshing", "regular", "relate", "relax",
    "relaxed", "relaxing", "release", "relief", "remain", "remarkable", "remember", "remembered", "remembers", "remind",
    "reminded", "reminder", "reminds", "report", "require", "required", "rest", "result", "results", "return",
    "returned", "returning", "reward", "rewarding", "rid", "risk", "role", "rough", "round", "routine", "run",
    "running", "rush", "sad", "safe", "same", "sat", "satisfying", "saturday", "save", "saved", "saw", "saying", "says",
    "scared", "scary", "scene", "second", "seconds", "seeing", "seem", "seemed", "seemingly", "seems", "seen", "sees",
    "self", "send", "sending", "sense", "sent", "sep", "separate", "sept", "september", "serious", "seriously", "serve",
    "set", "sets", "setting", "seven", "several", "shape", "share", "shared", "shares", "sharing", "short", "show",
    "showed", "showing", "shown", "shows", "side", "sight", "sign", "significant", "silly", "similar", "simple",
    "simply", "since", "single", "sit", "sitting", "situation", "situations", "six", "size", "skill", "skills", "slow",
    "slowly", "small", "smile", "smiling", "solid", "solve", "somebody", "somehow", "someone", "sometimes", "somewhere",
    "soon", "sorta", "sound", "sounded", "sounds", "source", "space", "spare", "spark", "speak", "speaking", "special",
    "specific", "spend", "spending", "spent", "spirit", "spirits", "spoke", "spot", "spread", "stage", "stand",
    "standard", "standing", "start", "started", "starting", "starts", "state", "stay", "stayed", "staying", "step",
    "steps", "stick", "stoked", "stop", "stopped", "stops", "strange", "strength", "stress", "strong", "struggle",
    "struggled", "struggles", "struggling", "stuff", "style", "success", "successful", "suggest", "suggested",
    "suggestion", "suggestions", "suit", "sun", "sunday", "super", "supportive", "suppose", "supposed", "surprise",
    "surprised", "surprising", "surrounded", "survive", "sweet", "taken", "takes", "taking", "talk", "talked",
    "talking", "talks", "task", "tasks", "taste", "teach", "teaching", "tear", "telling", "tells", "ten", "terms",
    "terrible", "terrific", "test", "thankful", "themselves", "third", "thirty", "thought", "thoughts", "thousand",
    "three", "thrilled", "thrilling", "through", "thu", "thur", "thurs", "thursday", "time", "times", "tiny", "tip",
    "tips", "title", "toast", "together", "told", "tomorrow", "ton", "tonight", "tons", "took", "tool", "tools", "top",
    "topic", "total", "totally", "touch", "tough", "toward", "towards", "track", "treat", "tried", "tries", "trouble",
    "true", "truly", "trust", "truth", "try", "trying", "tue", "tues", "tuesday", "turn", "turned", "turning", "turns",
    "twelve", "twenty", "twice", "type", "types", "unbelievable", "understand", "understanding", "understood",
    "unforgettable", "unfortunately", "unique", "unless", "until", "unwind", "upcoming", "update", "updates", "upset",
    "used", "useful", "uses", "using", "usual", "usually", "value", "values", "variety", "various", "version", "via",
    "vibe", "vibes", "view", "voice", "wait", "waited", "waiting", "wake", "wanted", "wanting", "wants", "warm",
    "warning", "watch", "watched", "watching", "wave", "ways", "wear", "wed", "wednesday", "week", "weekend",
    "weekends", "weeks", "weird", "went", "whatever", "whenever", "wherever", "whether", "whichever", "whoever",
    "whole", "whom", "willing", "win", "wise", "wish", "wished", "wishes", "within", "without", "woman", "women",
    "wonder", "wondering", "worked", "working", "works", "worried", "worry", "worse", "worst", "worth", "worthwhile",
    "wrong", "year", "years", "yesterday", "yourself", "zero",
]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::small::is_small;

    #[test]
    fn the_words_are_sorted_and_none_is_listed_twice() {
        assert!(GENERAL.is_sorted());
        for word in ["you", "things", "please"] {
            assert!(is_small(word) && !is_general(word), "{word}");
        }
        for word in ["wonder", "amazing", "tuesday", "really", "tried"] {
            assert!(is_general(word) || is_small(word), "{word}");
        }
        for word in ["pottery", "boiler", "invoice", "daughter", "school"] {
            assert!(!is_general(word), "{word}");
        }
    }
}
