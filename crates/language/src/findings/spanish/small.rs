//! Words of Spanish that say little, without their accents.

use crate::text::small::WordList;

/// Whether a sentence may begin with the word without saying anything.
pub(super) fn is_interjection(word: &str) -> bool {
    INTERJECTIONS.contains(&word)
}

/// Whether the word is hardly ever part of a name: the grammar's words, and what people say of themselves.
pub(super) fn is_ordinary(word: &str) -> bool {
    ORDINARY_LIST.has(word) || is_interjection(word)
}

#[rustfmt::skip]
const INTERJECTIONS: &[&str] = &[
    "adelante", "ah", "aja", "amable", "bien", "buen", "buena", "buenas", "bueno", "buenos", "cierto", "claro",
    "correcto", "dia", "dias", "digame", "eh", "encantado", "exacto", "excelente", "favor", "genial", "gracias",
    "hola", "listo", "mira", "mire", "muchas", "noches", "oh", "oiga", "ok", "okay", "perfecto", "pues", "si",
    "supuesto", "tal", "tardes", "vale", "vaya", "ya",
];

static ORDINARY_LIST: WordList = WordList::of(ORDINARY);

#[rustfmt::skip]
const ORDINARY: &[&str] = &[
    "a", "abogado", "abonado", "acaso", "ademas", "adios", "afuera", "ahi", "ahora", "ahorita", "al", "alergica",
    "alergico", "algo", "alguien", "algun", "alguna", "algunos", "alla", "alli", "alrededor", "ano", "anoche",
    "anos", "anote", "antes", "aparece", "aparezco", "apellido", "apunte", "aquel", "aquella", "aqui", "arriba",
    "asi", "atras", "aun", "aunque", "autonoma", "autonomo", "ayer", "ayudar", "bajo", "bien", "buenas", "bueno",
    "buenos", "cada", "cambiar", "cancelar", "cansada", "cansado", "casa", "casada", "casado", "casi", "celular",
    "cerca", "cita", "claro", "clienta", "cliente", "como", "comprar", "con", "confirmar", "consciente", "consta",
    "contra", "correcto", "correo", "cosa", "cual", "cuales", "cualquier", "cuando", "cuanta", "cuanto", "cuenta",
    "cuya", "dado", "dame", "dar", "de", "debe", "decir", "decirle", "decirlo", "del", "deme", "dentro", "desde",
    "despues", "dia", "dice", "dicen", "diga", "digame", "digo", "dime", "direccion", "disculpa", "disculpe",
    "doctor", "doctora", "donde", "dos", "duda", "duena", "dueno", "durante", "e", "el", "ella", "ellas", "ellos",
    "email", "empresa", "en", "encargado", "encima", "enfadado", "enojada", "enojado", "entonces", "entre",
    "equivocada", "equivocado", "era", "eran", "eres", "es", "esa", "esas", "escriba", "ese", "eso", "esos",
    "espera", "espere", "esperen", "esposa", "esposo", "esta", "estaba", "estan", "estar", "estas", "este", "esto",
    "estos", "estoy", "exactamente", "factura", "fue", "fuera", "fui", "gracias", "ha", "haber", "habia", "hablar",
    "hablo", "hace", "hacer", "hacia", "han", "harta", "harto", "has", "hasta", "hay", "he", "hemos", "hermana",
    "hermano", "hicieron", "hija", "hijo", "hizo", "hola", "hora", "horas", "hoy", "igual", "incluso", "incorrecta",
    "incorrecto", "inquilino", "interesada", "interesado", "ir", "jamas", "jefe", "junto", "justo", "la", "las",
    "le", "lejos", "les", "llamaba", "llamada", "llamadas", "llamado", "llamando", "llamar", "llamaron", "llame",
    "llamo", "lo", "los", "luego", "madre", "mal", "manana", "mas", "mayor", "me", "medico", "mejor", "menor",
    "menos", "mensaje", "mes", "mi", "mia", "mias", "mientras", "mio", "mios", "mira", "mire", "mis", "misma",
    "mismo", "molesta", "molesto", "momento", "movil", "mucha", "mucho", "muy", "nada", "nadie", "necesito", "ni",
    "ningun", "ninguna", "ninguno", "noche", "nombre", "nos", "nosotros", "nuestra", "nuestro", "nueva", "nuevo",
    "numero", "nunca", "o", "oiga", "oigan", "ok", "okay", "otra", "otro", "paciente", "padre", "para", "parece",
    "pase", "pedido", "pedir", "perdon", "perdone", "perfecto", "pero", "persona", "poco", "podria", "poner",
    "ponga", "pongo", "por", "porque", "prefieren", "prefiero", "pregunta", "preguntar", "primer", "primera",
    "problema", "pronto", "propietaria", "propietario", "pude", "puede", "pueden", "puedo", "que", "queria",
    "quien", "quienes", "quiere", "quiero", "quisiera", "quiza", "quizas", "realmente", "reserva", "responsable",
    "saber", "sale", "se", "sea", "segunda", "segundo", "seguro", "semana", "senor", "senora", "senorita", "ser",
    "servicio", "si", "sido", "siempre", "sigue", "simplemente", "sin", "sobre", "socia", "socio", "solo",
    "soltera", "soltero", "somos", "son", "soy", "su", "sus", "tal", "tambien", "tampoco", "tan", "tanto", "tarde",
    "te", "telefono", "tendria", "tenemos", "tengo", "tienda", "tiene", "tienen", "titular", "toda", "todavia",
    "todo", "todos", "tomar", "trabajo", "trata", "tu", "tus", "un", "una", "uno", "unos", "usted", "ustedes",
    "usuaria", "usuario", "va", "vale", "vamos", "van", "vecina", "vecino", "ver", "vez", "vive", "vivo", "voy",
    "y", "ya", "yo",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searched_lists_are_sorted() {
        for list in [INTERJECTIONS, ORDINARY] {
            assert!(list.is_sorted_by(|a, b| a < b));
        }
    }
}
