//! A client: `cargo run -p slider-attacks-serve --example client -- http://127.0.0.1:8815`. Start the server with
//! `slider-attacks-serve`.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{ArrayRef, RecordBatch, UInt8Array, UInt64Array};
use arrow_flight::encode::FlightDataEncoderBuilder;
use arrow_flight::{FlightClient, FlightDescriptor};
use futures_util::{StreamExt, stream};
use tonic::transport::Endpoint;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "http://127.0.0.1:8815".to_owned());
    let mut client = FlightClient::new(Endpoint::from_shared(address)?.connect().await?);
    // A server with tokens wants one: client.add_header("authorization", "Bearer ...")?;

    // Two batches of queens on d1 and d8. Batches may come from anywhere: they are sent while answers come back.
    let squares: ArrayRef = Arc::new(UInt8Array::from(vec![3, 59]));
    let occupancies: ArrayRef = Arc::new(UInt64Array::from(vec![0xffff_0000_0000_ffff; 2]));
    let batch = RecordBatch::try_from_iter([("squares", squares), ("occupancies", occupancies)])?;
    let batches = stream::iter([Ok(batch.clone()), Ok(batch)]);

    // What to call, then the batches.
    let descriptor = FlightDescriptor::new_path(vec!["queen_attacks".to_owned()]);
    let request = FlightDataEncoderBuilder::new().with_flight_descriptor(Some(descriptor)).build(batches);
    let mut answers = client.do_exchange(request).await?;
    while let Some(batch) = answers.next().await {
        for attacks in batch?["attacks"].as_primitive::<UInt64Type>().values() {
            println!("{attacks:#018x}");
        }
    }
    Ok(())
}
