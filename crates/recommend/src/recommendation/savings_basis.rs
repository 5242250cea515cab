//! Basis of a saving, predicted or measured.

use reeve_estate::named;

named!(
    /// Basis of a saving.
    SavingsBasis {
        /// After discounts and commitments, from the bill.
        Bill => "bill",
        /// List price, where no bill of the resource is known.
        ListPrice => "list_price",
    }
);
