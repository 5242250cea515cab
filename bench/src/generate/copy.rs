//! Output of an entry as a row of PostgreSQL's COPY text format: the columns that an application
//! would have beside the JSON.

use super::catalogue::HAPPENINGS;
use super::{Event, World};

/// The columns in the order that [`Event::push_copy`] writes them; `entry` is the JSON.
pub(crate) const COLUMNS: &str = "event_id, occurred_at, event_type, severity, actor, actor_ip, resource_type, resource_id, \
     account_id, region, status, entry";

impl Event {
    /// Appends the row with `json` as its entry, newline included. Nothing the generator makes
    /// needs COPY's escapes.
    pub(crate) fn push_copy(&self, out: &mut Vec<u8>, world: &World, json: &[u8]) {
        let user = &world.users[self.user];
        let none = "\\N";
        let resource = self.resource.map(|index| &world.resources[index]);
        let [kind, id, account, region] = resource.map_or([none; 4], |resource| {
            [
                resource.kind,
                &resource.id,
                &resource.account,
                resource.region,
            ]
        });

        let fields: [&[u8]; 12] = [
            &self.id,
            &self.time,
            HAPPENINGS[self.happening].event_type.as_bytes(),
            self.severity.as_bytes(),
            user.email.as_deref().unwrap_or(&user.id).as_bytes(),
            self.address.as_bytes(),
            kind.as_bytes(),
            id.as_bytes(),
            account.as_bytes(),
            region.as_bytes(),
            self.status.as_bytes(),
            json,
        ];

        for (number, field) in fields.iter().enumerate() {
            out.extend_from_slice(if number == 0 { b"" } else { b"\t" });
            out.extend_from_slice(field);
        }

        out.push(b'\n');
    }
}
