//! The people of the made-up company, its teams and the programs that work for it.

/// Employee of the made-up company.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Person {
    /// Given and family name.
    pub name: &'static str,
    /// The part of the e-mail address before `@acme.example`; also the identifier in the log.
    pub handle: &'static str,
    /// Team of the person, one of [`TEAMS`].
    pub team: &'static str,
    /// Job title of the person.
    pub title: &'static str,
    /// The office they work from: decides hours and addresses.
    pub(crate) office: Office,
}

impl Person {
    /// Returns the address: the handle at `acme.example`.
    #[must_use]
    pub fn email(&self) -> String {
        format!("{}@acme.example", self.handle)
    }
}

/// Teams of the company.
pub const TEAMS: [&str; 5] = ["platform", "shop", "payments", "data", "corporate-it"];

/// Office of a person, with its time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Office {
    Berlin,
    London,
    NewYork,
    SanFrancisco,
    Bengaluru,
}

impl Office {
    /// Minutes ahead of UTC, without summer time.
    pub(crate) const fn offset_min(self) -> i64 {
        match self {
            Office::Berlin => 60,
            Office::London => 0,
            Office::NewYork => -300,
            Office::SanFrancisco => -480,
            Office::Bengaluru => 330,
        }
    }

    /// The network its people come from (documentation addresses, RFC 5737, and private ones, RFC
    /// 1918).
    pub(crate) const fn network(self) -> [u8; 3] {
        match self {
            Office::Berlin => [192, 0, 2],
            Office::London => [198, 51, 100],
            Office::NewYork => [10, 40, 8],
            Office::SanFrancisco => [10, 41, 8],
            Office::Bengaluru => [10, 42, 8],
        }
    }

    pub(crate) const fn country(self) -> &'static str {
        match self {
            Office::Berlin => "DE",
            Office::London => "GB",
            Office::NewYork | Office::SanFrancisco => "US",
            Office::Bengaluru => "IN",
        }
    }
}

use Office::{Bengaluru, Berlin, London, NewYork, SanFrancisco};

const fn p(
    name: &'static str,
    handle: &'static str,
    team: &'static str,
    title: &'static str,
    office: Office,
) -> Person {
    Person {
        name,
        handle,
        team,
        title,
        office,
    }
}

/// All people of the company.
pub const PEOPLE: [Person; 40] = [
    p(
        "Lena Hoffmann",
        "lena.hoffmann",
        "platform",
        "Head of platform",
        Berlin,
    ),
    p(
        "Jonas Weber",
        "jonas.weber",
        "platform",
        "Site reliability engineer",
        Berlin,
    ),
    p(
        "Priya Raman",
        "priya.raman",
        "platform",
        "Site reliability engineer",
        Bengaluru,
    ),
    p(
        "Arjun Mehta",
        "arjun.mehta",
        "platform",
        "Platform engineer",
        Bengaluru,
    ),
    p(
        "Tom Baker",
        "tom.baker",
        "platform",
        "Security engineer",
        London,
    ),
    p(
        "Grace Osei",
        "grace.osei",
        "platform",
        "Platform engineer",
        London,
    ),
    p(
        "Marta Nowak",
        "marta.nowak",
        "platform",
        "Network engineer",
        Berlin,
    ),
    p(
        "Daniel Kim",
        "daniel.kim",
        "platform",
        "Site reliability engineer",
        SanFrancisco,
    ),
    p("Sofia Rossi", "sofia.rossi", "shop", "Head of shop", Berlin),
    p(
        "Felix Brandt",
        "felix.brandt",
        "shop",
        "Backend engineer",
        Berlin,
    ),
    p(
        "Aylin Demir",
        "aylin.demir",
        "shop",
        "Backend engineer",
        Berlin,
    ),
    p(
        "Noah Fischer",
        "noah.fischer",
        "shop",
        "Search engineer",
        Berlin,
    ),
    p(
        "Emma Clarke",
        "emma.clarke",
        "shop",
        "Frontend engineer",
        London,
    ),
    p(
        "Olivia Grant",
        "olivia.grant",
        "shop",
        "Backend engineer",
        NewYork,
    ),
    p(
        "Lucas Martin",
        "lucas.martin",
        "shop",
        "Frontend engineer",
        NewYork,
    ),
    p(
        "Hana Sato",
        "hana.sato",
        "shop",
        "Data engineer",
        SanFrancisco,
    ),
    p("Ben Adler", "ben.adler", "shop", "Product engineer", Berlin),
    p(
        "Nina Keller",
        "nina.keller",
        "payments",
        "Head of payments",
        Berlin,
    ),
    p(
        "Samuel Okafor",
        "samuel.okafor",
        "payments",
        "Backend engineer",
        London,
    ),
    p(
        "Chloe Bennett",
        "chloe.bennett",
        "payments",
        "Fraud engineer",
        London,
    ),
    p(
        "David Stein",
        "david.stein",
        "payments",
        "Backend engineer",
        NewYork,
    ),
    p(
        "Rachel Green",
        "rachel.green",
        "payments",
        "Compliance officer",
        NewYork,
    ),
    p(
        "Mateo Alvarez",
        "mateo.alvarez",
        "payments",
        "Backend engineer",
        NewYork,
    ),
    p(
        "Ivan Petrov",
        "ivan.petrov",
        "payments",
        "Database engineer",
        Berlin,
    ),
    p(
        "Amara Diallo",
        "amara.diallo",
        "data",
        "Head of data",
        London,
    ),
    p(
        "Wei Chen",
        "wei.chen",
        "data",
        "Machine learning engineer",
        SanFrancisco,
    ),
    p(
        "Kavya Iyer",
        "kavya.iyer",
        "data",
        "Data engineer",
        Bengaluru,
    ),
    p("Oskar Lind", "oskar.lind", "data", "Data engineer", Berlin),
    p("Julia Meyer", "julia.meyer", "data", "Analyst", Berlin),
    p(
        "Ethan Brooks",
        "ethan.brooks",
        "data",
        "Machine learning engineer",
        SanFrancisco,
    ),
    p("Zoe Turner", "zoe.turner", "data", "Analyst", NewYork),
    p(
        "Leo Schwarz",
        "leo.schwarz",
        "data",
        "Data engineer",
        Berlin,
    ),
    p(
        "Karin Vogel",
        "karin.vogel",
        "corporate-it",
        "Head of corporate IT",
        Berlin,
    ),
    p(
        "Peter Lang",
        "peter.lang",
        "corporate-it",
        "System administrator",
        Berlin,
    ),
    p(
        "Isabel Costa",
        "isabel.costa",
        "corporate-it",
        "System administrator",
        London,
    ),
    p(
        "Michael Ross",
        "michael.ross",
        "corporate-it",
        "Finance operations",
        NewYork,
    ),
    p(
        "Yuki Tanaka",
        "yuki.tanaka",
        "corporate-it",
        "Service desk",
        SanFrancisco,
    ),
    p(
        "Anna Fuchs",
        "anna.fuchs",
        "corporate-it",
        "ERP administrator",
        Berlin,
    ),
    p(
        "George Hill",
        "george.hill",
        "corporate-it",
        "Service desk",
        London,
    ),
    p(
        "Laura Diaz",
        "laura.diaz",
        "corporate-it",
        "Finance controller",
        NewYork,
    ),
];

/// A program that works for the company.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Robot {
    pub(crate) id: &'static str,
    pub(crate) does: Chore,
    /// Average number of chores an hour.
    pub(crate) per_hour: f64,
    pub(crate) agent: &'static str,
}

/// Kind of automated task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chore {
    Deploy,
    Terraform,
    Backup,
    Scale,
    Export,
}

/// Programs that act in the company's accounts, each with its chore and rate.
pub(crate) const ROBOTS: [Robot; 5] = [
    Robot {
        id: "ci-deployer",
        does: Chore::Deploy,
        per_hour: 0.6,
        agent: "gitlab-runner/17.4",
    },
    Robot {
        id: "terraform-ci",
        does: Chore::Terraform,
        per_hour: 0.4,
        agent: "Terraform/1.9.8",
    },
    Robot {
        id: "backup-service",
        does: Chore::Backup,
        per_hour: 1.6,
        agent: "acme-backup/3.2",
    },
    Robot {
        id: "autoscaler",
        does: Chore::Scale,
        per_hour: 1.2,
        agent: "autoscaling.amazonaws.com",
    },
    Robot {
        id: "cost-exporter",
        does: Chore::Export,
        per_hour: 0.5,
        agent: "acme-cost-exporter/1.4",
    },
];
