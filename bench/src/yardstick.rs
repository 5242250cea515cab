//! Speed of the machine at the moment: two measurements without Reeve, made before every stage,
//! because a virtual machine's neighbours take memory bandwidth that no load average shows.

use std::hint::black_box;
use std::time::Instant;

/// More than any cache's share, so that memory is measured.
const COPIED: usize = 64 << 20;
/// Rounds of each; the fastest counts.
const ROUNDS: usize = 6;
const PAGE: usize = 4_096;

/// Measured speed of the machine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Yardstick {
    /// Gigabytes a second that one thread copies in memory.
    pub(crate) copy_gb_s: f64,
    /// Microseconds for the kernel to hand out a page of 4 KiB, zeroed.
    pub(crate) page_us: f64,
}

/// Measures it: some tenths of a second.
pub(crate) fn measure() -> Yardstick {
    let (from, mut to) = (vec![0x5a_u8; COPIED], vec![0_u8; COPIED]);
    let copy = fastest(|| black_box(&mut to).copy_from_slice(black_box(&from)));
    let page = fastest(|| {
        let mut fresh = vec![0_u8; COPIED];
        fresh.iter_mut().step_by(PAGE).for_each(|byte| *byte = 1);
        black_box(&fresh);
    });

    Yardstick {
        copy_gb_s: COPIED as f64 / copy / 1e9,
        page_us: page / (COPIED / PAGE) as f64 * 1e6,
    }
}

fn fastest(mut work: impl FnMut()) -> f64 {
    let round = |_| {
        let begun = Instant::now();
        work();
        begun.elapsed().as_secs_f64()
    };
    (0..ROUNDS).map(round).fold(f64::MAX, f64::min)
}
