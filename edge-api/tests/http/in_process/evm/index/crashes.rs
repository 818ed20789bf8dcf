//! A process stops before or after a round trip to the database, and another process continues.

use std::cell::RefCell;
use std::rc::Rc;

use edge_api::ports::{Database, Job};

use super::truth::{indexed, same};
use super::{SETTINGS, Scene, index_all, lines};
use crate::support::anvil::Anvil;
use crate::support::faults::{Mortal, Stop, at_every_step};
use crate::support::native::Service;
use crate::support::people::World;

/// Creates a scene whose database can stop answering.
fn mortal_scene() -> (Scene, Rc<Mortal>) {
    let anvil = Anvil::start();
    let mortal = RefCell::new(None);
    let (service, providers) = Service::on_anvil_with(SETTINGS, &anvil, |database| {
        let wrapped = Rc::new(Mortal::new(database));
        mortal.replace(Some(Rc::clone(&wrapped)));
        wrapped as Rc<dyn Database>
    });
    let service = Rc::new(RefCell::new(service));
    let world = World::on(Box::new(Rc::clone(&service)));
    let scene = Scene {
        service,
        providers,
        play: super::Play::new(&anvil, world, 5),
    };
    (scene, mortal.take().unwrap())
}

#[test]
fn a_process_that_stops_at_any_round_trip_loses_and_repeats_nothing() {
    let (mut scene, mortal) = mortal_scene();
    scene.stock();
    scene.stock();
    scene.play.anvil.mine_many(9);
    scene.index_all();
    let mut round = 0;
    let stops = at_every_step(60, |stop: Stop| {
        round += 1;
        for _ in 0..2 {
            scene.play.step();
            scene.play.anvil.mine();
        }
        scene.play.anvil.mine();
        // Every third process finds a reorganisation.
        if round % 3 == 0 {
            let service = scene.service.borrow();
            index_all(&service, &scene.play.anvil);
            drop(service);
            scene.play.reorganise(4);
            scene.play.step();
            scene.play.anvil.mine();
        }
        let stopped = {
            let service = scene.service.borrow();
            service.clock.advance(1_000);
            let app = service.app();
            mortal.stops(stop, app.on_message(&Job::Follow))
        };
        scene.service.borrow_mut().restart();
        scene.index_all();
        stopped
    });
    assert!(stops > 20, "{stops}");
    assert!(lines(&scene.service.borrow(), "chain.reorganised") > 3);
    scene.check();
    let (cold, _) = Service::on_anvil(SETTINGS, &scene.play.anvil);
    index_all(&cold, &scene.play.anvil);
    same(
        &indexed(&cold.database),
        &indexed(&scene.service.borrow().database),
    );
}
